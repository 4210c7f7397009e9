/*---
id = "tool-empty-code"
title = "White space only"
family = "tool-input"
threat = """
An empty script returns nothing, which is not a value. It fails like any script without return, not as a special
case.
"""
invariants = ["I9"]
flags = ["schema-strictness", "non-json-value"]
arguments = '{"code": "   "}'

[expect]
code = "code_rejected"
reason = "not_json"
---*/
