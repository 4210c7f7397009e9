/*---
id = "workers-default-over"
title = "The fifth worker at once"
family = "process-lifecycle"
threat = """
The invocation is allowed and no process is left for it: its own code, at once.
"""
invariants = ["I5", "I10"]
flags = ["capacity", "operator-policy"]
boundary = ["workers/default/over"]

[setup]
policy = { invocations = 5 }
upstream = "hang"

[[background]]
source = "return await codemode.wit.open({ repo: 'slow/upstream-$N' })"
waiting_calls = 1
times = 4

[expect]
code = "server_workers_limit"
measured = 5
limit = 4
max_ms = 2000
---*/
return 1;
