/*---
id = "workers-exactly-4"
title = "The fourth worker at once"
family = "process-lifecycle"
threat = """
More invocations are allowed than workers. The fourth still finds a process, and the idle spare gives way to it.
"""
invariants = ["I5", "I10"]
flags = ["capacity", "operator-policy"]
boundary = ["workers/default/at"]

[setup]
policy = { invocations = 5 }
upstream = "hang"

[[background]]
source = "return await codemode.wit.open({ repo: 'slow/upstream-$N' })"
waiting_calls = 1
times = 3

[expect]
value = '1'
max_ms = 5000
---*/
return 1;
