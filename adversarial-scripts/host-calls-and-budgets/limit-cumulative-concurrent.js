/*---
id = "limit-cumulative-concurrent"
title = "Large results that arrive together"
family = "host-calls-and-budgets"
threat = """
Calls in flight must not each see the same remaining budget. Four results use it up; the four after them all fail.
"""
invariants = ["I5", "I8"]
flags = ["budget-exhaustion"]

[setup]
host = "mock"

[expect]
value = '["ok", "ok", "ok", "ok", "cumulative_host_bytes_limit", "cumulative_host_bytes_limit", "cumulative_host_bytes_limit", "cumulative_host_bytes_limit"]'
---*/
const go = () => Promise.allSettled([1, 2, 3, 4].map(() => codemode.wit.list({ snapshot_id: 'BYTES:60000' })));
const a = await go(),
  b = await go();
return [...a, ...b].map((x) => (x.status === 'fulfilled' ? 'ok' : x.reason.code));
