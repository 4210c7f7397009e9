/*---
id = "worker-killed-with-call-pending"
title = "The worker is killed while a host operation waits for the network"
family = "process-lifecycle"
threat = """
The operation was started for a worker that is gone. The invocation ends at once and the operation with it, long
before its own deadline.
"""
invariants = ["I8", "I10"]
flags = ["process-kill", "abandoned-work"]

[setup]
act = "kill_waiting"
upstream = "hang"

[expect]
code = "worker_exited"
reason = "crashed"
max_ms = 3000
---*/
return await codemode.wit.open({ repo: 'slow/upstream' });
