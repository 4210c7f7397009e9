/*---
id = "deadline-just-under"
title = "Work that ends before the deadline"
family = "unpolled-native-code"
threat = """
The other half of the boundary: a script that spins for less than its budget is not touched.
"""
invariants = ["I5"]
flags = ["busy-native-code"]
boundary = ["wall_ms/lowered/at"]

[setup]
policy = { wall_ms = 5000 }

[expect]
value = '"in time"'
---*/
const end = Date.now() + 100;
while (Date.now() < end);
return 'in time';
