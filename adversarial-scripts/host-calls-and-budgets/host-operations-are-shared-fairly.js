/*---
id = "host-operations-are-shared-fairly"
title = "A greedy invocation does not starve another"
family = "host-calls-and-budgets"
threat = """
Two invocations ask for four calls each to a host that never answers, which is all the slots there are. A queue in order
of arrival would let a third wait for their deadlines. It is served at once, twice in a row.
"""
invariants = ["I5", "I10"]
flags = ["budget-exhaustion", "capacity", "operator-policy"]
boundary = ["operation_ms/lowered/at"]

[setup]
policy = { snapshots = 4, operation_ms = 60000 }
upstream = "hang"

[[background]]
source = "return await Promise.all([1, 2, 3, 4].map(n => codemode.wit.open({ repo: 'slow/$N-' + n })))"
waiting_calls = 4
times = 1

[[background]]
source = "return await Promise.all([1, 2, 3, 4].map(n => codemode.wit.open({ repo: 'slow/$N-' + n })))"
waiting_calls = 2
times = 1

[expect]
value = '[2, 2]'
max_ms = 5000
---*/
const { snapshot_id } = await codemode.wit.open({ repo: 'demo/fixture' });
const docs = await codemode.wit.list({ snapshot_id, path: 'docs' });
const src = await codemode.wit.list({ snapshot_id, path: 'src' });
return [docs.returned_items, src.returned_items];
