/*---
id = "help-argument-corpus"
title = "help() with arguments that are not a method name"
family = "capability-probing"
threat = """
null, numbers, symbols, objects with toString and names of Object.prototype: each must be refused as unknown_method,
without running script code and without crashing.
"""
invariants = ["I4"]
flags = ["argument-abuse", "discoverability"]
refs = [
  "family vercel-labs/run reserved names",
]

[expect]
value = '["unknown_method"]'
---*/
const out = [];
for (const x of [
  'nope',
  '',
  null,
  0,
  '__proto__',
  'constructor',
  Symbol('q'),
  {
    toString() {
      return 'open';
    },
  },
]) {
  try {
    const h = codemode.wit.help(x);
    out.push(h.name || 'all');
  } catch (e) {
    out.push(e.code);
  }
}
return [...new Set(out)];
