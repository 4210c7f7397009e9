/*---
id = "poison-freeze-everything"
title = "Every intrinsic frozen"
family = "replaced-intrinsics"
threat = """
A bridge that adds or changes properties of shared objects fails when they are frozen, or throws inside trusted
code. Frozen intrinsics must make no difference.
"""
invariants = ["I4"]
flags = ["prototype-poisoning"]
refs = [
  "endojs/endo enable-property-overrides tests",
  "vm2 'Frozen constructor attack via Promise species'",
]

[expect]
value = 'true'
---*/
for (const o of [Object, Array, Function, Promise, Error, String, Set, Map]) {
  Object.freeze(o);
  Object.freeze(o.prototype);
}
Object.freeze(globalThis);
const { snapshot_id } = await codemode.wit.open({ repo: 'demo/fixture' });
return (await codemode.wit.list({ snapshot_id })).snapshot_id === snapshot_id;
