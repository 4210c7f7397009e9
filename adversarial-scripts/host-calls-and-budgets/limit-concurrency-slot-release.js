/*---
id = "limit-concurrency-slot-release"
title = "Four failures give their slots back"
family = "host-calls-and-budgets"
threat = """
A counter of calls in flight that is not lowered on failure locks the script out after four mistakes.
"""
invariants = ["I5", "I8"]
flags = ["budget-exhaustion", "argument-abuse"]

[expect]
value = '["ok", "ok", "ok", "ok"]'
---*/
const { snapshot_id } = await codemode.wit.open({ repo: 'demo/fixture' });
await Promise.allSettled([1, 2, 3, 4].map(() => codemode.wit.list(undefined)));
const settled = await Promise.allSettled([1, 2, 3, 4].map(() => codemode.wit.list({ snapshot_id })));
return settled.map((s) => (s.status === 'fulfilled' ? 'ok' : s.reason.code));
