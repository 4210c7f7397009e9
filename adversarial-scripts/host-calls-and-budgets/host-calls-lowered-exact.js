/*---
id = "host-calls-lowered-exact"
title = "The operator's two calls"
family = "host-calls-and-budgets"
threat = """
A policy of two calls allows two; it is what one invocation may do, whatever the calls come to.
"""
invariants = ["I5", "I12"]
flags = ["operator-policy", "budget-exhaustion"]
boundary = ["host_calls/lowered/at"]

[setup]
policy = { host_calls = 2 }

[expect]
value = '2'
usage = { host_calls = 2 }
---*/
const { snapshot_id } = await codemode.wit.open({ repo: 'demo/fixture' });
return (await codemode.wit.list({ snapshot_id, path: 'docs' })).returned_items;
