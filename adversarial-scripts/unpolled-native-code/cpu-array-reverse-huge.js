/*---
id = "cpu-array-reverse-huge"
title = "Reversing an array-like of 2^53 elements"
family = "unpolled-native-code"
threat = """
reverse on an array-like loops natively for ever. The engine never looks at the interrupt; the kernel's CPU limit
and the parent's watchdog must.
"""
invariants = ["I5", "I10"]
flags = ["busy-native-code"]
refs = [
  "sibling of quickjs-ng/quickjs#1672 (every/indexOf/... were fixed",
  "reverse, slice, copyWithin, unshift, concat were not)",
]

[setup]
policy = { wall_ms = 300 }

[expect]
code = "deadline_exceeded"
max_ms = 3000
---*/
return Array.prototype.reverse.call({ length: 2 ** 53 - 1 }).length;
