/*---
id = "host-result-then-key"
title = "A reply with a key named then"
family = "host-calls-and-budgets"
threat = """
A host result that resolves a promise is asked for its `then`. Data must not be taken for a thenable and must arrive
as it is.
"""
invariants = ["I6"]
flags = ["host-data", "promise-semantics"]
refs = [
  "capacitor#8472 family",
]

[setup]
host = "mock"

[expect]
value = '{"then": "x", "a": 1}'
---*/
const r = await codemode.wit.list({ snapshot_id: 'JSON:{"then":"x","a":1}' });
return r;
