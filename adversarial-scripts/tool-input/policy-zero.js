/*---
id = "policy-zero"
title = "A budget of zero"
family = "tool-input"
threat = """
Zero means unlimited to the engine's heap and stack. It must never get that far.
"""
invariants = ["I5", "I12"]
flags = ["operator-policy", "heap-exhaustion"]

[setup]
policy = { heap_bytes = 0 }
act = "start"

[expect]
code = "invalid_policy"
message = ["heap_bytes"]
---*/

