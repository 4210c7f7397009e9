/*---
id = "poison-isfinite-isarray-keys"
title = "The predicates of a serializer, replaced"
family = "replaced-intrinsics"
threat = """
Number.isFinite, Array.isArray and Object.keys decide in a naive serializer what is valid. Replaced, they pass NaN
as a number or an array as an empty object. The native serializer must use none of them.
"""
invariants = ["I9"]
flags = ["prototype-poisoning", "non-json-value"]
refs = [
  "vm2 category 10/11",
]

[expect]
code = "code_rejected"
reason = "not_json"
---*/
Number.isFinite = () => true;
Array.isArray = () => false;
Object.keys = () => [];
return [NaN];
