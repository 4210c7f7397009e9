/*---
id = "oom-loop-forever"
title = "Catching out-of-memory for ever"
family = "memory"
threat = """
A script that fills the heap again and again must not escape the clock: the two limits hold independently.
"""
invariants = ["I5"]
flags = ["heap-exhaustion", "swallowed-interrupt"]
refs = [
  "laverdet/isolated-vm tests/neverending-gc.js",
]

[setup]
policy = { wall_ms = 300 }

[expect]
code = "deadline_exceeded"
max_ms = 3000
---*/
let a = [];
for (;;) {
  try {
    for (;;) a.push(new Array(100).fill(1));
  } catch (e) {}
}
