/*---
id = "tool-code-object"
title = "code is an object that looks like a string"
family = "tool-input"
threat = """
In a dynamic language toString would make it a script. The value must be refused by type.
"""
invariants = ["I11"]
flags = ["schema-strictness"]
arguments = '{"code": {"toString": "return 1"}}'

[expect]
code = "invalid_arguments"
---*/
