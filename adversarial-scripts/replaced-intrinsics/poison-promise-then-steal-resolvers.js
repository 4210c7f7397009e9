/*---
id = "poison-promise-then-steal-resolvers"
title = "`then` wrapped to catch the bridge's resolvers"
family = "replaced-intrinsics"
threat = """
Whoever waits with the script-visible `then` hands its resolving functions to the script, which can settle a host
call with a value of its own. No trusted code may call it: the wrapper is called zero times.
"""
invariants = ["I6"]
flags = ["prototype-poisoning", "promise-semantics"]
refs = [
  "vm2 'Promise.prototype.then/catch callback sanitization bypass'",
]

[expect]
value = '[0, true]'
---*/
const then = Promise.prototype.then;
const { snapshot_id } = await codemode.wit.open({ repo: 'demo/fixture' });
let calls = 0;
Promise.prototype.then = function (a, b) {
  calls++;
  return then.call(this, a, b);
};
const page = await codemode.wit.list({ snapshot_id });
return [calls, page.snapshot_id === snapshot_id];
