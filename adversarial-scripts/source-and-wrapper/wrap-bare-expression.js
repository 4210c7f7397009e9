/*---
id = "wrap-bare-expression"
title = "A script that is an expression without return"
family = "source-and-wrapper"
threat = """
Models forget `return`. The value is undefined, which is not JSON; guessing at the last expression would change the
meaning of honest scripts. The failure must say to use return.
"""
invariants = ["I9"]
flags = ["source-form", "non-json-value"]
refs = [
  "cloudflare/agents normalize.test.ts",
  "maximhq/bifrost#903",
]

[expect]
code = "code_rejected"
reason = "not_json"
message = ["return"]
---*/
1 + 2
