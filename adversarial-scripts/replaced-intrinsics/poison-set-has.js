/*---
id = "poison-set-has"
title = "A blinded cycle detector"
family = "replaced-intrinsics"
threat = """
A cycle check that uses a JavaScript Set asks the script's own method. Blinded, it would recurse until the stack or
the heap gives out. The native check must see the cycle.
"""
invariants = ["I9"]
flags = ["prototype-poisoning", "non-json-value"]
refs = [
  "vm2 GHSA-9qj6-qjgg-37qq (bridge containers must not use script-reachable prototypes)",
]

[expect]
code = "code_rejected"
reason = "not_json"
---*/
Set.prototype.has = () => false;
const a = {};
a.a = a;
return a;
