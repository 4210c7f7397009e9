/*---
id = "worker-killed"
title = "The worker is killed from outside"
family = "process-lifecycle"
threat = """
The kernel may end a worker at any moment, for memory or by an operator's hand. The invocation fails as
worker_exited and the next call works.
"""
invariants = ["I10"]
flags = ["process-kill"]
snapshot = true

[setup]
act = "kill_worker"

[expect]
code = "worker_exited"
reason = "crashed"
max_ms = 3000
---*/
for (;;);
