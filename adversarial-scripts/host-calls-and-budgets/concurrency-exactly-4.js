/*---
id = "concurrency-exactly-4"
title = "Four calls at once"
family = "host-calls-and-budgets"
threat = """
The lower half of the concurrency boundary: four calls in flight are all answered.
"""
invariants = ["I5"]
flags = ["budget-exhaustion"]
boundary = ["host_concurrency/default/at"]

[expect]
value = '["ok", "ok", "ok", "ok"]'
---*/
const { snapshot_id } = await codemode.wit.open({ repo: 'demo/fixture' });
const settled = await Promise.allSettled([1, 2, 3, 4].map(() => codemode.wit.list({ snapshot_id })));
return settled.map((s) => (s.status === 'fulfilled' ? 'ok' : s.reason.code));
