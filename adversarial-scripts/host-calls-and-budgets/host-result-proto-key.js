/*---
id = "host-result-proto-key"
title = "A reply with a key named __proto__"
family = "host-calls-and-budgets"
threat = """
Repository data can hold any name. Built by assignment, the reply would change a prototype; it must be an own
property.
"""
invariants = ["I4"]
flags = ["host-data", "prototype-poisoning"]
refs = [
  "vercel-labs/run",
  "n8n#12588",
]

[setup]
host = "mock"

[expect]
value = '[true, ["__proto__"]]'
---*/
const r = await codemode.wit.list({ snapshot_id: 'JSON:{"__proto__":{"polluted":1}}' });
return [{}.polluted === undefined, Object.keys(r)];
