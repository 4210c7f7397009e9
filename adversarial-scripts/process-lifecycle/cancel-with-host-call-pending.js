/*---
id = "cancel-with-host-call-pending"
title = "The client cancels while a host operation waits for the network"
family = "process-lifecycle"
threat = """
Cancellation must reach the operation behind the call, or a connection and a slot stay taken long after everyone
left.
"""
invariants = ["I8", "I10"]
flags = ["cancellation", "abandoned-work"]

[setup]
act = "cancel_waiting"
upstream = "hang"

[expect]
code = "cancelled"
max_ms = 2000
any_of = [{ no_answer = true }]
---*/
return await codemode.wit.open({ repo: 'slow/upstream' });
