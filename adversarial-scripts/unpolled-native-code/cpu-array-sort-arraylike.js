/*---
id = "cpu-array-sort-arraylike"
title = "Sorting a huge empty array-like"
family = "unpolled-native-code"
threat = """
sort first collects the elements of the array-like, in a native loop over 2^53 indexes. The loop polls nothing.
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
return Array.prototype.sort.call({ length: 2 ** 53 - 1 }).length;
