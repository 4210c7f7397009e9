/*---
id = "cpu-array-indexof-fixed"
title = "indexOf on a huge array-like"
family = "unpolled-native-code"
threat = """
Upstream fixed this one to poll; it stays here so that an engine update that loses the fix is still ended at the
budget.
"""
invariants = ["I5", "I10"]
flags = ["busy-native-code"]
refs = [
  "quickjs-ng/quickjs#1672 and tests/bug1672/",
]

[setup]
policy = { wall_ms = 300 }

[expect]
code = "deadline_exceeded"
max_ms = 3000
---*/
return Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1);
