/*---
id = "final-proto-key"
title = "An own key named __proto__"
family = "final-value"
threat = """
JSON.parse makes it an own property. Copying it into a JavaScript object by assignment would change a prototype and
lose the data.
"""
invariants = ["I9"]
flags = ["host-data"]
refs = [
  "n8n GSuiteAdmin prototype pollution",
  "vercel-labs/run 'prototype-sensitive keys'",
]

[expect]
value = '{"__proto__": {"x": 1}, "a": 2}'
---*/
return JSON.parse('{"__proto__":{"x":1},"a":2}');
