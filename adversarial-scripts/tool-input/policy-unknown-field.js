/*---
id = "policy-unknown-field"
title = "A misspelt limit"
family = "tool-input"
threat = """
An operator who writes wall_time believes in a limit that is not there. Unknown fields stop the server.
"""
invariants = ["I12"]
flags = ["operator-policy"]

[setup]
policy = { wall_time = 5 }
act = "start"

[expect]
code = "invalid_policy"
message = ["wall_time"]
---*/

