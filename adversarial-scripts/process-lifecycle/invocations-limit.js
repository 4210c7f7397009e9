/*---
id = "invocations-limit"
title = "One invocation more than the server allows"
family = "process-lifecycle"
threat = """
The second call must fail at once while the first still runs. Queueing it would let a client pile up work without
bound.
"""
invariants = ["I5", "I10"]
flags = ["capacity"]
boundary = ["invocations/lowered/over"]
snapshot = true

[setup]
policy = { invocations = 1, wall_ms = 5000 }

[[background]]
source = "for (;;);"

[expect]
code = "server_invocations_limit"
limit = 1
max_ms = 2000
---*/
return 1;
