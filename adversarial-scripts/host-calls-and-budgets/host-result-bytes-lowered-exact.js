/*---
id = "host-result-bytes-lowered-exact"
title = "The operator's smaller host result, to the byte"
family = "host-calls-and-budgets"
threat = """
A result of exactly the policy's thousand bytes enters the worker, one of a thousand and one does not.
"""
invariants = ["I5", "I12"]
flags = ["operator-policy", "size-boundary"]
boundary = ["host_result_bytes/lowered/at", "host_result_bytes/lowered/over"]

[setup]
host = "mock"
policy = { host_result_bytes = 1000 }

[expect]
value = '["ok", "host_result_bytes_limit", "ok"]'
---*/
const outcomes = [];
for (const size of [1000, 1001, 999]) {
  try {
    await codemode.wit.list({ snapshot_id: 'BYTES:' + size });
    outcomes.push('ok');
  } catch (e) {
    outcomes.push(e.code);
  }
}
return outcomes;
