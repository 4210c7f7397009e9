/*---
id = "args-getter-reenters-api"
title = "A getter in the arguments makes another call"
family = "host-calls-and-budgets"
threat = """
Re-entering the bridge while it reads arguments mixes up state that is not kept per call: ids, buffers, the count of
calls in flight.
"""
invariants = ["I6", "I8"]
flags = ["reentrant-serialization", "bridge-tampering"]
refs = [
  "laverdet/isolated-vm tests/async-rentry.js",
]

[expect]
value = '[true, true]'
---*/
const { snapshot_id } = await codemode.wit.open({ repo: 'demo/fixture' });
let inner;
const outer = await codemode.wit.list({
  snapshot_id,
  get path() {
    inner = codemode.wit.list({ snapshot_id, path: 'docs', format: 'paths' });
    return 'src';
  },
  format: 'paths',
});
return [outer.paths.every((p) => p.startsWith('src/')), (await inner).paths.every((p) => p.startsWith('docs/'))];
