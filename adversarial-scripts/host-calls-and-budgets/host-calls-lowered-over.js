/*---
id = "host-calls-lowered-over"
title = "One more than the operator's two calls"
family = "host-calls-and-budgets"
threat = """
The third call is refused by the worker itself: no frame leaves it.
"""
invariants = ["I5", "I12"]
flags = ["operator-policy", "budget-exhaustion"]
boundary = ["host_calls/lowered/over"]

[setup]
policy = { host_calls = 2 }

[expect]
code = "host_calls_limit"
measured = 3
limit = 2
---*/
const { snapshot_id } = await codemode.wit.open({ repo: 'demo/fixture' });
for (let i = 0; i < 2; i++) await codemode.wit.list({ snapshot_id, path: 'docs' });
return 'no';
