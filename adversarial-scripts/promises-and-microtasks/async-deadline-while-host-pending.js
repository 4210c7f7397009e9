/*---
id = "async-deadline-while-host-pending"
title = "A host call that never answers"
family = "promises-and-microtasks"
threat = """
The JavaScript clock stops while a host operation is outstanding, so another clock must run: the operation's own
deadline, which is the operator's. The work behind it has to be cancelled too.
"""
invariants = ["I5", "I10"]
flags = ["budget-exhaustion"]
boundary = ["operation_ms/lowered/over"]
refs = [
  "pydantic/monty docs (duration paused during host calls), monty#736",
  "TanStack/ai 'tool call outlives the deadline'",
]

[setup]
policy = { operation_ms = 300 }
upstream = "hang"

[expect]
code = "deadline_exceeded"
operation = "wit_open"
max_ms = 3000
---*/
return await codemode.wit.open({ repo: 'slow/upstream' });
