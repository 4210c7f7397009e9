/*---
id = "invocations-default-over"
title = "The fifth invocation at once"
family = "process-lifecycle"
threat = """
Four scripts wait for a host that never answers. The fifth fails at once, however long they wait: nothing queues.
"""
invariants = ["I5", "I10"]
flags = ["capacity"]
boundary = ["invocations/default/over"]

[setup]
upstream = "hang"

[[background]]
source = "return await codemode.wit.open({ repo: 'slow/upstream-$N' })"
waiting_calls = 1
times = 4

[expect]
code = "server_invocations_limit"
measured = 5
limit = 4
max_ms = 2000
---*/
return 1;
