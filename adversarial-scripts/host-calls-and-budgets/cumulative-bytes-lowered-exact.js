/*---
id = "cumulative-bytes-lowered-exact"
title = "The operator's smaller sum of host results, to the byte"
family = "host-calls-and-budgets"
threat = """
Six hundred and four hundred bytes fill a policy of a thousand. One over is refused whole and costs nothing, so that
what still fits may follow.
"""
invariants = ["I5", "I12"]
flags = ["operator-policy", "size-boundary", "budget-exhaustion"]
boundary = ["cumulative_host_bytes/lowered/at", "cumulative_host_bytes/lowered/over"]

[setup]
host = "mock"
policy = { cumulative_host_bytes = 1000 }

[expect]
value = '["ok", "cumulative_host_bytes_limit", "ok", "cumulative_host_bytes_limit"]'
usage = { host_bytes = 1000 }
---*/
const outcomes = [];
for (const size of [600, 401, 400, 10]) {
  try {
    await codemode.wit.list({ snapshot_id: 'BYTES:' + size });
    outcomes.push('ok');
  } catch (e) {
    outcomes.push(e.code);
  }
}
return outcomes;
