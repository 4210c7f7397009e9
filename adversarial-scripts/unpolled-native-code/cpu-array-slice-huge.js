/*---
id = "cpu-array-slice-huge"
title = "Slicing an array-like of four billion elements"
family = "unpolled-native-code"
threat = """
slice allocates and copies in one native loop that polls nothing. The parent must end it at the budget.
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
return Array.prototype.slice.call({ length: 2 ** 32 - 1 }, 0).length;
