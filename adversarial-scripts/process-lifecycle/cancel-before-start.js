/*---
id = "cancel-before-start"
title = "The client cancels right behind its request"
family = "process-lifecycle"
threat = """
The cancellation is read before anything of the request has begun, or in the middle of handing the script to its
worker. Either way nothing is answered, nothing goes on, and nothing is left.
"""
invariants = ["I10", "I11"]
flags = ["cancellation"]

[setup]
act = "cancel_at_once"

[expect]
no_answer = true
max_ms = 2000
any_of = [{ code = "cancelled" }]
---*/
for (;;);
