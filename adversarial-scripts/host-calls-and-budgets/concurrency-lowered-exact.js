/*---
id = "concurrency-lowered-exact"
title = "One call at a time, as the operator wishes"
family = "host-calls-and-budgets"
threat = """
With a concurrency of one, calls that follow one another all work.
"""
invariants = ["I5", "I12"]
flags = ["operator-policy", "budget-exhaustion"]
boundary = ["host_concurrency/lowered/at"]

[setup]
policy = { host_concurrency = 1 }

[expect]
value = '[2, 2]'
---*/
const { snapshot_id } = await codemode.wit.open({ repo: 'demo/fixture' });
const docs = await codemode.wit.list({ snapshot_id, path: 'docs' });
const src = await codemode.wit.list({ snapshot_id, path: 'src' });
return [docs.returned_items, src.returned_items];
