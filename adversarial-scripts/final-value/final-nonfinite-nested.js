/*---
id = "final-nonfinite-nested"
title = "Infinity deep inside the result"
family = "final-value"
threat = """
JSON has no Infinity, and JSON.stringify writes null for it, which changes the data without a word. The failure must
name the path.
"""
invariants = ["I9"]
flags = ["non-json-value", "numeric-edge"]

[expect]
code = "code_rejected"
reason = "not_json"
message = ["a[1].b"]
---*/
return { a: [1, { b: 1 / 0 }] };
