/*---
id = "invocations-maximum-over"
title = "The seventeenth invocation at once"
family = "process-lifecycle"
threat = """
Beyond the absolute maximum nobody gets a process, whatever the policy says.
"""
invariants = ["I5", "I10", "I12"]
flags = ["capacity", "operator-policy"]
boundary = ["invocations/maximum/over"]

[setup]
policy = { invocations = 16, workers = 16, host_operations = 32 }
upstream = "hang"

[[background]]
source = "return await codemode.wit.open({ repo: 'slow/upstream-$N' })"
waiting_calls = 1
times = 16

[expect]
code = "server_invocations_limit"
measured = 17
limit = 16
max_ms = 2000
---*/
return 1;
