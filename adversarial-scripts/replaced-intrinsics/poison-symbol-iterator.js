/*---
id = "poison-symbol-iterator"
title = "Array iteration broken before an array is returned"
family = "replaced-intrinsics"
threat = """
Spreading or iterating an array runs the script's iterator. The serializer must read elements by index and length
only.
"""
invariants = ["I9"]
flags = ["prototype-poisoning"]
refs = [
  "vm2 category 3",
]

[expect]
value = '[1, 2]'
---*/
Array.prototype[Symbol.iterator] = function () {
  throw 3;
};
return [1, 2];
