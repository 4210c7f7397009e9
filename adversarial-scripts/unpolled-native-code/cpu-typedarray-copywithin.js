/*---
id = "cpu-typedarray-copywithin"
title = "Moving seven megabytes in a loop"
family = "unpolled-native-code"
threat = """
copyWithin on a typed array is one memmove. Deadlines that fire only between bytecodes come late; the budget must
still hold.
"""
invariants = ["I5", "I10"]
flags = ["busy-native-code"]
refs = [
  "vm2 GHSA-6785-pvv7-mvg7 notes (timeouts fire between bytecodes only)",
]

[setup]
policy = { wall_ms = 300 }

[expect]
code = "deadline_exceeded"
max_ms = 3000
---*/
const t = new Uint8Array(7e6);
for (;;) t.copyWithin(1, 0);
