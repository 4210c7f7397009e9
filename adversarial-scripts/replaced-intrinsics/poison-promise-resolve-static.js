/*---
id = "poison-promise-resolve-static"
title = "Promise.resolve and the global Promise replaced"
family = "replaced-intrinsics"
threat = """
await on a native promise must not go through the visible statics, or the script could swap the reply for its own.
"""
invariants = ["I6"]
flags = ["prototype-poisoning", "promise-semantics"]

[expect]
value = '[true, "function"]'
---*/
Promise.resolve = () => ({ then(f) { f({ snapshot_id: 'mine' }); } });
const Genuine = Promise;
globalThis.Promise = class {
  constructor() {
    throw new Error('constructed');
  }
};
const opened = await codemode.wit.open({ repo: 'demo/fixture' });
return [opened.snapshot_id !== 'mine', typeof Genuine];
