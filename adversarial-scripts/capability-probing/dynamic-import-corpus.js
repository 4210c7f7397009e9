/*---
id = "dynamic-import-corpus"
title = "import() of everything a loader could know"
family = "capability-probing"
threat = """
Built-in modules, files, data URLs, addresses on this machine, from the body, from eval and from Function: each
would be a way to code or data outside. There is no loader, so every import() must reject.
"""
invariants = ["I4"]
flags = ["module-loading", "ambient-authority"]
refs = [
  "vm2 category 13",
  "endojs/endo reject-import-expression.test.js",
  "vercel-labs/run 'rejects dynamic module loading'",
  "TanStack/ai ai-isolate-node escape-attempts.test.ts",
]

[expect]
value = '[]'
---*/
const out = [];
for (const s of [
  'std',
  'os',
  'qjs:std',
  'bjson',
  './x.js',
  '/etc/passwd',
  'file:///etc/passwd',
  'data:text/javascript,export default 1',
  'http://127.0.0.1/',
  'node:fs',
  'eval_script',
  '',
]) {
  try {
    await import(s);
    out.push(s);
  } catch (e) {}
}
try {
  await (0, eval)('import("std")');
  out.push('eval');
} catch (e) {}
try {
  await Function('return import("std")')();
  out.push('fn');
} catch (e) {}
return out;
