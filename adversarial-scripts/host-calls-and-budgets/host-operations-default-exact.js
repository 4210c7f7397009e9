/*---
id = "host-operations-default-exact"
title = "The eighth host operation at once"
family = "host-calls-and-budgets"
threat = """
Three invocations hold seven of the eight slots with calls that never end: four, two and one, because each call beyond
an invocation's first leaves room for those that have none. The fourth invocation finds the last slot at once.
"""
invariants = ["I5", "I10"]
flags = ["budget-exhaustion", "capacity", "operator-policy"]
boundary = ["host_operations/default/at"]

[setup]
policy = { snapshots = 4, operation_ms = 60000 }
upstream = "hang"

[[background]]
source = "return await Promise.all([1, 2, 3, 4].map(n => codemode.wit.open({ repo: 'slow/$N-' + n })))"
waiting_calls = 4
times = 1

[[background]]
source = "return await Promise.all([1, 2].map(n => codemode.wit.open({ repo: 'slow/$N-' + n })))"
waiting_calls = 2
times = 1

[[background]]
source = "return await Promise.all([1].map(n => codemode.wit.open({ repo: 'slow/$N-' + n })))"
waiting_calls = 1
times = 1

[expect]
value = 'true'
max_ms = 5000
---*/
return (await codemode.wit.refs({ repo: 'demo/fixture' })).returned_items > 0;
