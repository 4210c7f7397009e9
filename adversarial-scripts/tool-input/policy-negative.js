/*---
id = "policy-negative"
title = "A negative limit"
family = "tool-input"
threat = """
Read as unsigned it is the greatest number there is.
"""
invariants = ["I5", "I12"]
flags = ["operator-policy", "numeric-edge"]

[setup]
policy = { host_calls = -1 }
act = "start"

[expect]
code = "invalid_policy"
message = ["host_calls"]
---*/

