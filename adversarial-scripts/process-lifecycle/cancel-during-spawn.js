/*---
id = "cancel-during-spawn"
title = "The client cancels while the worker is being created"
family = "process-lifecycle"
threat = """
Without a spare the cancellation meets a process that is being created or is locking itself down. Nobody owns it yet;
it must be killed and reaped all the same.
"""
invariants = ["I10", "I11"]
flags = ["cancellation", "process-kill"]

[setup]
policy = { spare_workers = 0 }
act = "cancel_at_once"

[expect]
no_answer = true
max_ms = 2000
any_of = [{ code = "cancelled" }]
---*/
for (;;);
