/*---
id = "tool-code-number"
title = "code is a number"
family = "tool-input"
threat = """
Coercing it would run the text 5. Only a string is code; the failure says so without repeating the value.
"""
invariants = ["I11"]
flags = ["schema-strictness"]
arguments = '{"code": 5}'

[expect]
code = "invalid_arguments"
message = ["code"]
---*/
