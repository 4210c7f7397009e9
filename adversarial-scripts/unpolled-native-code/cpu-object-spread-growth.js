/*---
id = "cpu-object-spread-growth"
title = "Object spread that grows on each turn"
family = "unpolled-native-code"
threat = """
Each spread copies all properties natively, so the work between two polls grows with the object.
"""
invariants = ["I5", "I10"]
flags = ["busy-native-code"]
refs = [
  "SandboxJS#56 (spread ticks)",
]

[setup]
policy = { wall_ms = 300 }

[expect]
code = "deadline_exceeded"
max_ms = 3000
---*/
let o = {};
for (let i = 0; ; i++) o = { ...o, ['k' + i]: i };
