/*---
id = "limit-poisoned-counter"
title = "Broken intrinsics must not corrupt the count of calls in flight"
family = "host-calls-and-budgets"
threat = """
A bridge that counts in JavaScript and serializes with the visible JSON.stringify leaves the counter raised when
that throws. Afterwards two calls at once must still work.
"""
invariants = ["I5", "I6"]
flags = ["prototype-poisoning", "budget-exhaustion"]
refs = [
  "vm2 category 11",
]

[expect]
value = 'true'
---*/
const { snapshot_id } = await codemode.wit.open({ repo: 'demo/fixture' });
const genuine = JSON.stringify;
let i = 0;
JSON.stringify = function () {
  if (i++ < 6) throw 1;
  return genuine.apply(this, arguments);
};
for (let k = 0; k < 6; k++) {
  try {
    await codemode.wit.list({ snapshot_id });
  } catch (e) {}
}
JSON.stringify = genuine;
const settled = await Promise.allSettled([1, 2].map(() => codemode.wit.list({ snapshot_id })));
return settled.every((s) => s.status === 'fulfilled');
