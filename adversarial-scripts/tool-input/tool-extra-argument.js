/*---
id = "tool-extra-argument"
title = "Limits passed along with the code"
family = "tool-input"
threat = """
Defaults are the operator's. An unknown argument must be refused loudly: ignored, it would teach callers that limits
can be asked for, and honoured it would be an escape.
"""
invariants = ["I12"]
flags = ["schema-strictness", "operator-policy"]
arguments = '{"code": "return 1", "limits": {"wall_ms": 60000}}'

[expect]
code = "invalid_arguments"
message = ["limits"]
---*/
