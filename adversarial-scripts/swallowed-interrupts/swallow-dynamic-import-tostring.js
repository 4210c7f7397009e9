/*---
id = "swallow-dynamic-import-tostring"
title = "Spinning while a module specifier is converted"
family = "swallowed-interrupts"
threat = """
import() converts its specifier inside a promise capability, so the interrupt becomes a rejection that the script
catches.
"""
invariants = ["I5"]
flags = ["swallowed-interrupt", "module-loading"]
refs = [
  "vm2 category 13",
]

[setup]
policy = { wall_ms = 300 }

[expect]
code = "deadline_exceeded"
max_ms = 3000
---*/
await import({
  toString() {
    for (;;);
  },
}).catch(() => 0);
return 'continued';
