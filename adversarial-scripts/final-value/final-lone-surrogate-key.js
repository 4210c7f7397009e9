/*---
id = "final-lone-surrogate-key"
title = "A lone surrogate in a property name"
family = "final-value"
threat = """
Keys take the same road as strings, and are easily forgotten.
"""
invariants = ["I9"]
flags = ["unicode"]

[expect]
value = '{"\ufffdk": 1}'
---*/
return { ['\udc00k']: 1 };
