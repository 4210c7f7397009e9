/*---
id = "poison-array-index-setter"
title = "A setter on index 0 of every array"
family = "replaced-intrinsics"
threat = """
Building an argument list or a reply with ordinary assignments into an array would pass each element to this setter.
It must see nothing of ours.
"""
invariants = ["I4", "I6"]
flags = ["prototype-poisoning", "information-leak"]
refs = [
  "vm2 GHSA-9qj6-qjgg-37qq",
]

[expect]
value = 'true'
---*/
let seen;
Object.defineProperty(Array.prototype, 0, {
  configurable: true,
  set(value) {
    seen = typeof value;
  },
  get() {},
});
try {
  codemode.wit.zz;
} catch (e) {}
const { snapshot_id } = await codemode.wit.open({ repo: 'demo/fixture' });
await codemode.wit.list({ snapshot_id });
return seen === undefined;
