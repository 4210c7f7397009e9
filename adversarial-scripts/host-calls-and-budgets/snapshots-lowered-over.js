/*---
id = "snapshots-lowered-over"
title = "One more than the operator's one snapshot"
family = "host-calls-and-budgets"
threat = """
The next open is refused before anything is looked up, and so before any network.
"""
invariants = ["I5", "I12"]
flags = ["operator-policy", "budget-exhaustion"]
boundary = ["snapshots/lowered/over"]

[setup]
policy = { snapshots = 1 }

[expect]
code = "snapshots_limit"
operation = "wit_open"
measured = 2
limit = 1
---*/
for (let i = 0; i < 2; i++) await codemode.wit.open({ repo: 'demo/fixture' });
return 'no';
