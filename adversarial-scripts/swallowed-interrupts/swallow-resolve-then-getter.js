/*---
id = "swallow-resolve-then-getter"
title = "Spinning in a `then` getter that a resolver reads"
family = "swallowed-interrupts"
threat = """
Resolving functions read `then` and turn exceptions into rejections, which hides the interrupt from the worker.
"""
invariants = ["I5"]
flags = ["swallowed-interrupt", "promise-semantics"]
refs = [
  "quickjs-ng tests/bug1355.js",
]

[setup]
policy = { wall_ms = 300 }

[expect]
code = "deadline_exceeded"
max_ms = 3000
---*/
let r;
const p = new Promise((x) => {
  r = x;
});
r({
  get then() {
    for (;;);
  },
});
await p.catch(() => 0);
return 'continued';
