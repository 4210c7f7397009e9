/*---
id = "tool-code-missing"
title = "A tool call without code"
family = "tool-input"
threat = """
The argument is required. A default of an empty script would make every malformed call succeed in running nothing.
"""
invariants = ["I11"]
flags = ["schema-strictness"]
arguments = '{}'

[expect]
code = "invalid_arguments"
message = ["code"]
---*/
