/*---
id = "final-bigint-symbol-function"
title = "A BigInt inside the result"
family = "final-value"
threat = """
JSON.stringify throws on it, deep in trusted code. It must be an ordinary refusal with the path.
"""
invariants = ["I9"]
flags = ["non-json-value"]
refs = [
  "quickjs-emscripten dump tests",
]

[expect]
code = "code_rejected"
reason = "not_json"
message = ["ok[0]"]
---*/
return { ok: [1n] };
