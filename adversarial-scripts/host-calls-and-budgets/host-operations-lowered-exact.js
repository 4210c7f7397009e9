/*---
id = "host-operations-lowered-exact"
title = "The last of two slots"
family = "host-calls-and-budgets"
threat = """
With two slots, the first call of a second invocation finds one although another invocation would take both.
"""
invariants = ["I5", "I10"]
flags = ["budget-exhaustion", "capacity", "operator-policy"]
boundary = ["host_operations/lowered/at"]

[setup]
policy = { host_operations = 2, operation_ms = 60000 }
upstream = "hang"

[[background]]
source = "return await Promise.all([1].map(n => codemode.wit.open({ repo: 'slow/$N-' + n })))"
waiting_calls = 1
times = 1

[expect]
value = 'true'
max_ms = 5000
---*/
return (await codemode.wit.refs({ repo: 'demo/fixture' })).returned_items > 0;
