/*---
id = "async-host-call-in-then-after-return"
title = "A host call queued for after the end"
family = "promises-and-microtasks"
threat = """
Once the body's promise has settled nothing more may be dispatched, or a script could act after its result was
judged.
"""
invariants = ["I8"]
flags = ["abandoned-work"]
refs = [
  "vercel-labs/run manager-protocol.test.ts ('rejects host function traffic after a terminal result')",
]

[expect]
value = '"done"'
usage = { host_calls = 0, snapshots = 0 }
---*/
Promise.resolve()
  .then(() => Promise.resolve())
  .then(() => codemode.wit.open({ repo: 'demo/fixture' }));
return 'done';
