/*---
id = "snapshots-uncaught"
title = "The third open, uncaught"
family = "host-calls-and-budgets"
threat = """
The failure escapes and the tool reports it under its own code, with the operation that asked for too much.
"""
invariants = ["I5", "I8"]
flags = ["budget-exhaustion"]
snapshot = true

[expect]
code = "snapshots_limit"
operation = "wit_open"
limit = 2
---*/
for (let i = 0; i < 3; i++) await codemode.wit.open({ repo: 'demo/fixture' });
return 'no';
