/*---
id = "cpu-array-concat-spreadable"
title = "concat of a spreadable array-like"
family = "unpolled-native-code"
threat = """
Symbol.isConcatSpreadable makes concat walk four billion absent indexes in native code, with no poll in between.
"""
invariants = ["I5", "I10"]
flags = ["busy-native-code"]
refs = [
  "vm2 considered surfaces (isConcatSpreadable)",
]

[setup]
policy = { wall_ms = 300 }

[expect]
code = "deadline_exceeded"
max_ms = 3000
---*/
return [].concat({ length: 2 ** 32 - 1, [Symbol.isConcatSpreadable]: true }).length;
