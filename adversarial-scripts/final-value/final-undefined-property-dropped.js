/*---
id = "final-undefined-property-dropped"
title = "An undefined property is dropped"
family = "final-value"
threat = """
JSON semantics: optional fields that are undefined vanish, and the object stays valid. Only arrays and the whole
value refuse it.
"""
invariants = ["I9"]
flags = ["non-json-value"]

[expect]
value = '{"b": 1}'
---*/
return { a: undefined, b: 1 };
