/*---
id = "cancel-vs-deadline"
title = "Cancellation and deadline close together"
family = "process-lifecycle"
threat = """
The verdicts have an order, and cancelled comes first. The client cancels while a budget is running that would end
soon after; no late deadline may be answered to a request that was withdrawn.
"""
invariants = ["I10"]
flags = ["cancellation"]

[setup]
policy = { wall_ms = 2000 }
act = "cancel_running"

[expect]
code = "cancelled"
max_ms = 2000
any_of = [{ no_answer = true }]
---*/
for (;;);
