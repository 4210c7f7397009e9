/*---
id = "final-undefined-forms"
title = "undefined as the result"
family = "final-value"
threat = """
undefined has no JSON form. Turning it silently into null would make a forgotten return look like an answer.
"""
invariants = ["I9"]
flags = ["non-json-value"]
refs = [
  "vercel-labs/run serialization tests",
]
snapshot = true

[expect]
code = "code_rejected"
reason = "not_json"
message = ["return"]
---*/
return undefined;
