/*---
id = "final-hole-and-undefined"
title = "A hole in an array"
family = "final-value"
threat = """
Holes would become null and shift meaning. They are refused with the place.
"""
invariants = ["I9"]
flags = ["non-json-value"]
refs = [
  "vercel-labs/run continuation-validation-hardening (sparse arrays)",
]

[expect]
code = "code_rejected"
reason = "not_json"
---*/
return [1, , 3];
