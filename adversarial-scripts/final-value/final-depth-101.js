/*---
id = "final-depth-101"
title = "A result nested one level too deep"
family = "final-value"
threat = """
Deeper values make readers recurse, in the parent and in every client. One level over is refused with the rule
named.
"""
invariants = ["I9"]
flags = ["size-boundary", "non-json-value"]

[expect]
code = "code_rejected"
reason = "not_json"
---*/
let value = [];
for (let i = 1; i < 101; i++) value = [value];
return value;
