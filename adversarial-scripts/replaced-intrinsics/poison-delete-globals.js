/*---
id = "poison-delete-globals"
title = "The global bindings a bridge would use, deleted"
family = "replaced-intrinsics"
threat = """
Looking up JSON, Promise or Error at the time of a call finds nothing once the script deleted them. What the bridge
needs must have been taken before the script ran.
"""
invariants = ["I4"]
flags = ["prototype-poisoning", "bridge-tampering"]
refs = [
  "vercel-labs/run#30",
  "endojs/endo global-object-mutability.test.js",
]

[expect]
value = 'true'
---*/
for (const name of ['JSON', 'Promise', 'Error', 'Proxy', 'Set', 'Array', 'String', 'Number', 'Reflect']) {
  delete globalThis[name];
}
const { snapshot_id } = await codemode.wit.open({ repo: 'demo/fixture' });
return (await codemode.wit.list({ snapshot_id })).snapshot_id === snapshot_id;
