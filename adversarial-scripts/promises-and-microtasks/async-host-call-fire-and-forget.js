/*---
id = "async-host-call-fire-and-forget"
title = "Host calls started and never awaited"
family = "promises-and-microtasks"
threat = """
Four calls are in flight when the body returns. They are abandoned and cancelled: the result is not delayed, and no
slot stays taken.
"""
invariants = ["I8", "I10"]
flags = ["abandoned-work"]
refs = [
  "vercel-labs/run resource-hardening.test.ts (detached bridge requests)",
]

[expect]
value = '"done"'
---*/
for (let i = 0; i < 4; i++) codemode.wit.list({ snapshot_id: 's' });
return 'done';
