/*---
id = "swallow-promise-try"
title = "Spinning in Promise.try"
family = "swallowed-interrupts"
threat = """
Promise.try converts the interrupt into a rejected promise. What is decided after the deadline is deadline_exceeded,
whatever the script returns.
"""
invariants = ["I5"]
flags = ["swallowed-interrupt", "promise-semantics"]
refs = [
  "vm2 category 7 (Promise.try)",
]

[setup]
policy = { wall_ms = 300 }

[expect]
code = "deadline_exceeded"
max_ms = 3000
---*/
await Promise.try(() => {
  for (;;);
}).catch(() => 0);
return 'continued';
