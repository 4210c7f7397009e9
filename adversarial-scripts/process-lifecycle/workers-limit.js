/*---
id = "workers-limit"
title = "One worker more than the server allows"
family = "process-lifecycle"
threat = """
Invocations may be allowed while no process is left for them. The failure must be its own code and come at once.
"""
invariants = ["I5", "I10"]
flags = ["capacity"]
boundary = ["workers/lowered/over"]
snapshot = true

[setup]
policy = { workers = 1, invocations = 4, wall_ms = 5000 }

[[background]]
source = "for (;;);"

[expect]
code = "server_workers_limit"
limit = 1
max_ms = 2000
---*/
return 1;
