/*---
id = "tool-empty-string"
title = "An empty script"
family = "tool-input"
threat = """
Zero bytes must cross the pipe as a frame that says so; a frame of length zero is a protocol error, and that would
be ours.
"""
invariants = ["I9"]
flags = ["schema-strictness", "size-boundary"]
arguments = '{"code": ""}'

[expect]
code = "code_rejected"
reason = "not_json"
---*/
