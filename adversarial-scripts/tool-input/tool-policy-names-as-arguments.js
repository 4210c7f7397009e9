/*---
id = "tool-policy-names-as-arguments"
title = "Policy names as arguments"
family = "tool-input"
threat = """
Every key of the policy file is tried as an argument of the tool. None may be known to it.
"""
invariants = ["I12"]
flags = ["schema-strictness", "operator-policy"]
arguments = '{"code": "return 1", "wall_ms": 1, "heap_bytes": 67108864, "workers": 16}'

[expect]
code = "invalid_arguments"
---*/
