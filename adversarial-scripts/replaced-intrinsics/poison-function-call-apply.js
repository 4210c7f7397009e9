/*---
id = "poison-function-call-apply"
title = "call, apply and bind that throw"
family = "replaced-intrinsics"
threat = """
Trusted code in JavaScript that uses f.call(...) stops working as soon as the script replaces it, in the best case.
Host calls must work without any of the three.
"""
invariants = ["I4"]
flags = ["prototype-poisoning", "bridge-tampering"]
refs = [
  "vm2 'Function.prototype.call attack via Promise'",
]

[expect]
value = 'true'
---*/
Function.prototype.call = Function.prototype.apply = Function.prototype.bind = function () {
  throw 4;
};
const { snapshot_id } = await codemode.wit.open({ repo: 'demo/fixture' });
return (await codemode.wit.list({ snapshot_id })).snapshot_id === snapshot_id;
