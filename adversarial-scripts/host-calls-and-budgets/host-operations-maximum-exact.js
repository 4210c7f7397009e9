/*---
id = "host-operations-maximum-exact"
title = "The thirty-second host operation at once"
family = "host-calls-and-budgets"
threat = """
Seven invocations hold twenty-eight slots, and the eighth uses the other four at once, at the largest policy.
"""
invariants = ["I5", "I10", "I12"]
flags = ["budget-exhaustion", "capacity", "operator-policy"]
boundary = ["host_operations/maximum/at"]

[setup]
policy = { host_operations = 32, invocations = 8, workers = 8, snapshots = 4, operation_ms = 60000 }
upstream = "hang"

[[background]]
source = "return await Promise.all([1, 2, 3, 4].map(n => codemode.wit.open({ repo: 'slow/$N-' + n })))"
waiting_calls = 4
times = 7

[expect]
value = 'true'
max_ms = 8000
---*/
for (const repo of ['slow/a', 'slow/b', 'slow/c']) codemode.wit.open({ repo }).catch(() => {});
return (await codemode.wit.refs({ repo: 'demo/fixture' })).returned_items > 0;
