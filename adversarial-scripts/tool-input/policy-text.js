/*---
id = "policy-text"
title = "A number in quotes"
family = "tool-input"
threat = """
Lenient reading of operator files hides mistakes until they matter.
"""
invariants = ["I12"]
flags = ["operator-policy"]

[setup]
policy = { pages = "8" }
act = "start"

[expect]
code = "invalid_policy"
message = ["pages"]
---*/

