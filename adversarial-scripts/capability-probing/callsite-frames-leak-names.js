/*---
id = "callsite-frames-leak-names"
title = "Internal names through stack frames"
family = "capability-probing"
threat = """
Structured stack frames would show names and files of trusted code, and getFunction even hands out its closures. The
stack hooks are removed, and an ordinary stack must not mention internals.
"""
invariants = ["I4", "I7"]
flags = ["engine-hooks", "information-leak"]
refs = [
  "vm2 GHSA-v27g",
  "vercel-labs/run source-stack.test.ts (omits generated frames)",
]

[expect]
value = 'false'
---*/
Error.prepareStackTrace = (e, f) => f.map((x) => [x.getFunctionName(), x.getFileName()]);
try {
  codemode.wit.zz;
} catch (e) {
  return JSON.stringify(e.stack).includes('__');
}
