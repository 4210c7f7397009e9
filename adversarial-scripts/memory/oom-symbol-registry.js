/*---
id = "oom-symbol-registry"
title = "An endless registry of symbols"
family = "memory"
threat = """
Registered symbols are never collected. Heap or time ends it, whichever is first.
"""
invariants = ["I5"]
flags = ["heap-exhaustion"]
refs = [
  "hmsk/quickjs.rb#121",
]

[setup]
policy = { wall_ms = 300 }

[expect]
code = "deadline_exceeded"
max_ms = 3000
any_of = [{ code = "code_rejected", reason = "heap_limit" }]
---*/
for (let i = 0; ; i++) Symbol.for('s' + i);
