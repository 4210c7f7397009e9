/*---
id = "cumulative-bytes-exact"
title = "Exactly 256 KiB of host results"
family = "host-calls-and-budgets"
threat = """
Four results of exactly 64 KiB are allowed together, and then not one byte more, however small the next result.
"""
invariants = ["I5"]
flags = ["size-boundary", "budget-exhaustion"]
boundary = ["cumulative_host_bytes/default/at", "cumulative_host_bytes/default/over"]

[setup]
host = "mock"

[expect]
value = '["ok", "ok", "ok", "ok", "cumulative_host_bytes_limit"]'
---*/
const outcomes = [];
for (const size of [65536, 65536, 65536, 65536, 10]) {
  try {
    await codemode.wit.list({ snapshot_id: 'BYTES:' + size });
    outcomes.push('ok');
  } catch (e) {
    outcomes.push(e.code);
  }
}
return outcomes;
