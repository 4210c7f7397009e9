/*---
id = "cpu-set-union-loop"
title = "Set union in a loop"
family = "unpolled-native-code"
threat = """
union copies the whole set in native code; in a loop the interrupt gets few chances.
"""
invariants = ["I5", "I10"]
flags = ["busy-native-code"]

[setup]
policy = { wall_ms = 300 }

[expect]
code = "deadline_exceeded"
max_ms = 3000
---*/
const s = new Set();
for (let i = 0; i < 2000; i++) s.add(i);
let r = s;
for (;;) r = s.union(s);
