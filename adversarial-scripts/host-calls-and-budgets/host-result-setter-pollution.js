/*---
id = "host-result-setter-pollution"
title = "A setter for a reply's field on Object.prototype"
family = "host-calls-and-budgets"
threat = """
Assigning reply fields runs inherited setters, which lose the value and show it to the script where it was not
meant. Fields are defined.
"""
invariants = ["I4", "I6"]
flags = ["host-data", "prototype-poisoning"]
refs = [
  "vm2 GHSA-9qj6-qjgg-37qq (defineProperty, never assignment)",
]

[setup]
host = "mock"

[expect]
value = '["string", true]'
---*/
Object.defineProperty(Object.prototype, 'pad', {
  configurable: true,
  set(v) {
    globalThis.stolen = 1;
  },
});
const r = await codemode.wit.list({ snapshot_id: 'BYTES:100' });
return [typeof r.pad, globalThis.stolen === undefined];
