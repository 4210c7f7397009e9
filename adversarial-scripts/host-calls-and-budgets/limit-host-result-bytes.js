/*---
id = "limit-host-result-bytes"
title = "A host result one byte over 64 KiB"
family = "host-calls-and-budgets"
threat = """
The parent measures the serialized result before it enters the worker. One byte over is a catchable failure that
names the operation, and the value is withheld whole.
"""
invariants = ["I5", "I9"]
flags = ["size-boundary", "budget-exhaustion"]
boundary = ["host_result_bytes/default/over"]
refs = [
  "vercel-labs/run host-function-invocation.test.ts",
]

[setup]
host = "mock"

[expect]
value = '["host_result_bytes_limit", "wit_list"]'
---*/
try {
  await codemode.wit.list({ snapshot_id: 'BYTES:65537' });
  return 'ok';
} catch (e) {
  return [e.code, e.operation];
}
