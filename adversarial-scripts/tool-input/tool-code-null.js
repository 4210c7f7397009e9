/*---
id = "tool-code-null"
title = "code is null"
family = "tool-input"
threat = """
null is neither absent nor text.
"""
invariants = ["I11"]
flags = ["schema-strictness"]
arguments = '{"code": null}'

[expect]
code = "invalid_arguments"
---*/
