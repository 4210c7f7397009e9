/*---
id = "tool-code-array"
title = "code is a list of lines"
family = "tool-input"
threat = """
Joining lists of lines is a guess; what is joined with would decide what runs.
"""
invariants = ["I11"]
flags = ["schema-strictness"]
arguments = '{"code": ["return 1"]}'

[expect]
code = "invalid_arguments"
---*/
