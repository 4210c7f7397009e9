/*---
id = "snapshots-maximum-exact"
title = "The operator's four snapshots, each used"
family = "host-calls-and-budgets"
threat = """
A policy of four snapshots allows that many opens, also of the same commit: an open may cost a fetch each time.
"""
invariants = ["I5", "I12"]
flags = ["operator-policy", "budget-exhaustion"]
boundary = ["snapshots/maximum/at"]

[setup]
policy = { snapshots = 4 }

[expect]
value = '4'
usage = { snapshots = 4 }
---*/
let opened = 0;
for (let i = 0; i < 4; i++) opened += (await codemode.wit.open({ repo: 'demo/fixture' })).snapshot_id.length > 0;
return opened;
