/*---
id = "concurrency-uncaught"
title = "The fifth call at once, uncaught"
family = "host-calls-and-budgets"
threat = """
The refusal of the fifth call escapes, and is reported under its own code.
"""
invariants = ["I5"]
flags = ["budget-exhaustion"]
boundary = ["host_concurrency/default/over"]
snapshot = true

[expect]
code = "host_concurrency_limit"
limit = 4
---*/
const { snapshot_id } = await codemode.wit.open({ repo: 'demo/fixture' });
await Promise.all([1, 2, 3, 4, 5].map(() => codemode.wit.list({ snapshot_id })));
return 'no';
