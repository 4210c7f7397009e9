/*---
id = "cancel-during-spin"
title = "The client cancels while a loop runs"
family = "process-lifecycle"
threat = """
A cancelled invocation must end its worker at once, not at the deadline: clients cancel because they stopped
waiting. The next call works.
"""
invariants = ["I10"]
flags = ["cancellation"]

[setup]
act = "cancel_running"

[expect]
code = "cancelled"
max_ms = 2000
any_of = [{ no_answer = true }]
---*/
for (;;);
