/*---
id = "poison-object-tojson"
title = "toJSON installed on every object"
family = "replaced-intrinsics"
threat = """
JSON semantics honour toJSON on the script's own value. What must not happen is that it reaches the envelope around
the value: if our own objects were JavaScript objects, the script could replace the entire answer with one of its
own.
"""
invariants = ["I6"]
flags = ["prototype-poisoning", "reentrant-serialization"]
refs = [
  "vm2 category 2 (prototype pollution)",
  "vercel-labs/run guest-sources tests",
]

[expect]
value = '{"ok": true, "value": "hijack"}'
---*/
Object.prototype.toJSON = function () {
  return { ok: true, value: 'hijack' };
};
return { a: 1 };
