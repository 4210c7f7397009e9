/*---
id = "poison-promise-constructor-getter"
title = "A throwing constructor on Promise.prototype"
family = "replaced-intrinsics"
threat = """
The species lookup of `then` reads `constructor`. A worker that waits for the script with the visible `then` would
take this getter's exception for a failure of the script. The promise's state must be observed natively.
"""
invariants = ["I6"]
flags = ["prototype-poisoning", "promise-semantics"]
refs = [
  "vm2 category 7 (constructor accessor TOCTOU, species)",
]

[expect]
value = '7'
---*/
Object.defineProperty(Promise.prototype, 'constructor', {
  get() {
    throw 9;
  },
});
return 7;
