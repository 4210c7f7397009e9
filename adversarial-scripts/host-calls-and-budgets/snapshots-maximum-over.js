/*---
id = "snapshots-maximum-over"
title = "One more than the operator's four snapshots"
family = "host-calls-and-budgets"
threat = """
The next open is refused before anything is looked up, and so before any network.
"""
invariants = ["I5", "I12"]
flags = ["operator-policy", "budget-exhaustion"]
boundary = ["snapshots/maximum/over"]

[setup]
policy = { snapshots = 4 }

[expect]
code = "snapshots_limit"
operation = "wit_open"
measured = 5
limit = 4
---*/
for (let i = 0; i < 5; i++) await codemode.wit.open({ repo: 'demo/fixture' });
return 'no';
