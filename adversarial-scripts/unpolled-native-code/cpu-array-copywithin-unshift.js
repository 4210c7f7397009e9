/*---
id = "cpu-array-copywithin-unshift"
title = "copyWithin and unshift over 2^53 elements"
family = "unpolled-native-code"
threat = """
Both move elements one by one in native code. Catching the error of the first does not help: the deadline has to
hold across native loops.
"""
invariants = ["I5", "I10"]
flags = ["busy-native-code"]
refs = [
  "quickjs-ng#1672 sibling",
]

[setup]
policy = { wall_ms = 300 }

[expect]
code = "deadline_exceeded"
max_ms = 3000
---*/
try {
  Array.prototype.copyWithin.call({ length: 2 ** 53 - 1 }, 0, 1);
} catch (e) {}
return Array.prototype.unshift.call({ length: 2 ** 53 - 2 }, 1);
