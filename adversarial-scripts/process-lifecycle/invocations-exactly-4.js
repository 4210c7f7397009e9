/*---
id = "invocations-exactly-4"
title = "The fourth invocation at once"
family = "process-lifecycle"
threat = """
Three scripts wait for a host that never answers; the fourth must run beside them at the default of four.
"""
invariants = ["I5", "I10"]
flags = ["capacity"]
boundary = ["invocations/default/at"]

[setup]
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
