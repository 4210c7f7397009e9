/*---
id = "stack-overflow-in-catch-finally"
title = "Overflow inside the handlers of overflow"
family = "stack-and-nesting"
threat = """
Each unwinding frame calls again in its finally block, which makes the unwinding exponential. Only the clock ends
it.
"""
invariants = ["I5"]
flags = ["stack-exhaustion"]
refs = [
  "vm2 category 4 (recursion)",
]

[setup]
policy = { wall_ms = 300 }

[expect]
code = "deadline_exceeded"
max_ms = 3000
---*/
function f() {
  try {
    f();
  } finally {
    f();
  }
}
f();
