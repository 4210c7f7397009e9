/*---
id = "swallow-async-generator-return-thenable"
title = "Spinning in a thenable given to an async generator"
family = "swallowed-interrupts"
threat = """
Async generators resolve the returned value in a job of their own and swallow what it throws. The deadline must
survive that.
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
async function* g() {}
await g()
  .return({
    get then() {
      for (;;);
    },
  })
  .catch(() => 0);
return 'continued';
