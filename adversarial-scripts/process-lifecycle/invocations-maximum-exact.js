/*---
id = "invocations-maximum-exact"
title = "The sixteenth invocation at once"
family = "process-lifecycle"
threat = """
An operator who allows the most, sixteen, gets sixteen, each in a process of its own.
"""
invariants = ["I5", "I10", "I12"]
flags = ["capacity", "operator-policy"]
boundary = ["invocations/maximum/at", "workers/maximum/at"]

[setup]
policy = { invocations = 16, workers = 16, host_operations = 32 }
upstream = "hang"

[[background]]
source = "return await codemode.wit.open({ repo: 'slow/upstream-$N' })"
waiting_calls = 1
times = 15

[expect]
value = '1'
max_ms = 10000
---*/
return 1;
