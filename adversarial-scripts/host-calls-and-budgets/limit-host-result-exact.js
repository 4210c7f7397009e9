/*---
id = "limit-host-result-exact"
title = "A host result of exactly 64 KiB"
family = "host-calls-and-budgets"
threat = """
The limit is inclusive, and such a result with its envelope must fit a frame.
"""
invariants = ["I5", "I9"]
flags = ["size-boundary"]
boundary = ["host_result_bytes/default/at"]

[setup]
host = "mock"

[expect]
value = 'true'
---*/
const r = await codemode.wit.list({ snapshot_id: 'BYTES:65536' });
return r.pad.length > 65000;
