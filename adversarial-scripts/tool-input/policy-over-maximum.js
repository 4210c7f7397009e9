/*---
id = "policy-over-maximum"
title = "A policy above the absolute maximum"
family = "tool-input"
threat = """
Not even the operator can go beyond the maxima. The server must refuse to start and name the field, rather than
clamp it in silence.
"""
invariants = ["I5", "I12"]
flags = ["operator-policy"]
snapshot = true

[setup]
policy = { wall_ms = 10001 }
act = "start"

[expect]
code = "invalid_policy"
message = ["wall_ms"]
---*/

