/*---
id = "snapshots-lowered-exact"
title = "The operator's one snapshot, each used"
family = "host-calls-and-budgets"
threat = """
A policy of one snapshot allows that many opens, also of the same commit: an open may cost a fetch each time.
"""
invariants = ["I5", "I12"]
flags = ["operator-policy", "budget-exhaustion"]
boundary = ["snapshots/lowered/at"]

[setup]
policy = { snapshots = 1 }

[expect]
value = '1'
usage = { snapshots = 1 }
---*/
let opened = 0;
for (let i = 0; i < 1; i++) opened += (await codemode.wit.open({ repo: 'demo/fixture' })).snapshot_id.length > 0;
return opened;
