/*---
id = "worker-cannot-start"
title = "The worker program is not there"
family = "process-lifecycle"
threat = """
A server that cannot start workers must say so, call after call, without paths of the operator's machine and without
trying to run the script in its own process.
"""
invariants = ["I3", "I7", "I10"]
flags = ["process-kill", "operator-policy"]
snapshot = true

[setup]
arguments = ["--worker", "{missing}"]
recovers = false

[expect]
code = "worker_start_failed"
reason = "spawn_failed"
message_without = ["/"]
---*/
return 1;
