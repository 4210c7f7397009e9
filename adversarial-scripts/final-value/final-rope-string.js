/*---
id = "final-rope-string"
title = "A large rope as the result"
family = "final-value"
threat = """
The engine flattens ropes on demand. The result must be whole, whatever form the string has inside.
"""
invariants = ["I9"]
flags = ["size-boundary"]
refs = [
  "DelSkayn/rquickjs changelog 0.12 (rope strings)",
]

[expect]
value_made = [{ prefix = "\"", repeat = "abcdefgh", count = 3000, suffix = "\"" }]
---*/
let s = '';
for (let i = 0; i < 3000; i++) s += 'abcdefgh';
return s.length === 24000 && s;
