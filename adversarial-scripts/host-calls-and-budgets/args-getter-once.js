/*---
id = "args-getter-once"
title = "A getter in the arguments runs once"
family = "host-calls-and-budgets"
threat = """
Validating and then serializing would run the getter twice, and let the second answer be another than the one that
was checked.
"""
invariants = ["I8"]
flags = ["reentrant-serialization", "argument-abuse"]
refs = [
  "vm2 TOCTOU family",
]

[expect]
value = '[1, true]'
---*/
const { snapshot_id } = await codemode.wit.open({ repo: 'demo/fixture' });
let reads = 0;
const page = await codemode.wit.list({
  get snapshot_id() {
    reads++;
    return reads === 1 ? snapshot_id : 'another';
  },
});
return [reads, page.snapshot_id === snapshot_id];
