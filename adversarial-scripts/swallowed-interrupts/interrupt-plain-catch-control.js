/*---
id = "interrupt-plain-catch-control"
title = "catch and finally cannot swallow the interrupt"
family = "swallowed-interrupts"
threat = """
The control case: ordinary handlers must not see the uncatchable error at all.
"""
invariants = ["I5"]
flags = ["swallowed-interrupt"]
refs = [
  "bellard/quickjs#341, #363",
  "quickjs-ng#810, PR #811",
]

[setup]
policy = { wall_ms = 300 }

[expect]
code = "deadline_exceeded"
max_ms = 3000
---*/
for (;;) {
  try {
    for (;;);
  } catch (e) {
  } finally {
  }
}
