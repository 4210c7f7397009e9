/*---
id = "args-extra-and-proto"
title = "A __proto__ key and surplus arguments"
family = "host-calls-and-budgets"
threat = """
An own key named __proto__ must be an unknown field, not a prototype from which a validated field is inherited.
Surplus positional arguments are ignored.
"""
invariants = ["I4"]
flags = ["argument-abuse", "host-data"]
refs = [
  "n8n prototype pollution PR #12588",
  "vercel-labs/run",
]

[expect]
value = 'true'
---*/
const r = await codemode.wit
  .list(JSON.parse('{"__proto__":{"snapshot_id":"evil"},"snapshot_id":"s"}'), { x: 1 }, 2)
  .catch((e) => e.code);
return r === 'invalid_arguments' || r.args.snapshot_id === 's';
