/*---
id = "final-depth-exactly-100"
title = "A result nested exactly one hundred deep"
family = "final-value"
threat = """
The depth limit is inclusive: a hundred levels pass.
"""
invariants = ["I9"]
flags = ["size-boundary"]

[expect]
value_made = [{ repeat = "[", count = 100 }, { repeat = "]", count = 100 }]
---*/
let value = [];
for (let i = 1; i < 100; i++) value = [value];
return value;
