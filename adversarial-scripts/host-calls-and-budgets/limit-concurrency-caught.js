/*---
id = "limit-concurrency-caught"
title = "Five calls at once"
family = "host-calls-and-budgets"
threat = """
One invocation may not take every slot of the server. The fifth call in flight is refused at once and the four
others are answered.
"""
invariants = ["I5"]
flags = ["budget-exhaustion", "capacity"]
refs = [
  "vercel-labs/run in-flight limits",
  "danieljvdm/effect-agent#417",
]

[expect]
value = '["ok", "ok", "ok", "ok", "host_concurrency_limit"]'
---*/
const { snapshot_id } = await codemode.wit.open({ repo: 'demo/fixture' });
const settled = await Promise.allSettled([1, 2, 3, 4, 5].map(() => codemode.wit.list({ snapshot_id })));
return settled.map((s) => (s.status === 'fulfilled' ? 'ok' : s.reason.code));
