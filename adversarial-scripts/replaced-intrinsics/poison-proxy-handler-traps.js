/*---
id = "poison-proxy-handler-traps"
title = "Proxy traps inherited from Object.prototype"
family = "replaced-intrinsics"
threat = """
If the namespace is a Proxy whose handler is an ordinary object, traps that it lacks are looked up on
Object.prototype, where the script can put its own. The namespace must behave as if nothing was there.
"""
invariants = ["I4"]
flags = ["prototype-poisoning", "bridge-tampering"]
refs = [
  "vm2 category 14 (Object.prototype trap pollution via in)",
]

[expect]
value = '[true, true]'
---*/
Object.prototype.has = () => {
  throw 'trap';
};
Object.prototype.ownKeys = () => {
  throw 'trap';
};
try {
  return ['list' in codemode.wit, Object.keys(codemode.wit).length > 0];
} catch (e) {
  return e;
}
