/*---
id = "cancel-during-unpolled-native"
title = "The client cancels inside a native loop"
family = "process-lifecycle"
threat = """
No interrupt is polled, so cancellation cannot wait for the engine's cooperation. The parent kills the worker.
"""
invariants = ["I10"]
flags = ["cancellation", "busy-native-code"]

[setup]
act = "cancel_running"

[expect]
code = "cancelled"
max_ms = 2000
any_of = [{ no_answer = true }]
---*/
return String(new Array(1e9)).length;
