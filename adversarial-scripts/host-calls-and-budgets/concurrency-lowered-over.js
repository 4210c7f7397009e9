/*---
id = "concurrency-lowered-over"
title = "Two calls at a time where the operator allows one"
family = "host-calls-and-budgets"
threat = """
The second call is refused while the first is outstanding, and the first is not harmed.
"""
invariants = ["I5", "I12"]
flags = ["operator-policy", "budget-exhaustion"]
boundary = ["host_concurrency/lowered/over"]

[setup]
policy = { host_concurrency = 1 }

[expect]
value = '["ok", "host_concurrency_limit"]'
---*/
const { snapshot_id } = await codemode.wit.open({ repo: 'demo/fixture' });
const settled = await Promise.allSettled([1, 2].map(() => codemode.wit.list({ snapshot_id })));
return settled.map((s) => (s.status === 'fulfilled' ? 'ok' : s.reason.code));
