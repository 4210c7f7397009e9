/*---
id = "deadline-default-ten-seconds"
title = "The default deadline is ten seconds"
family = "unpolled-native-code"
threat = """
All other deadline cases lower the budget to save time. This one has no policy, and holds the default to its number.
"""
invariants = ["I5", "I12"]
flags = ["busy-native-code", "operator-policy"]
boundary = ["wall_ms/default/over"]

[expect]
code = "deadline_exceeded"
max_ms = 12500
---*/
for (;;);
