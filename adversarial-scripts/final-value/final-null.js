/*---
id = "final-null"
title = "A valid null"
family = "final-value"
threat = """
null is a value. Implementations that test for truth, or that cannot tell null from absent, turn it into a failure
or into a success with nothing in it.
"""
invariants = ["I9"]
flags = ["non-json-value"]

[expect]
value = 'null'
---*/
return null;
