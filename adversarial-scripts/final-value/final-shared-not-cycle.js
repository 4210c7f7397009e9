/*---
id = "final-shared-not-cycle"
title = "The same object in three places"
family = "final-value"
threat = """
Sharing is not a cycle. A detector that only remembers what it has seen refuses honest results.
"""
invariants = ["I9"]
flags = ["non-json-value"]

[expect]
value = '[{"x": 1}, {"x": 1}, {"s": {"x": 1}}]'
---*/
const s = { x: 1 };
return [s, s, { s }];
