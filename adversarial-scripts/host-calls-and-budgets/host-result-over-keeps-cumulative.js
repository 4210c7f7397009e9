/*---
id = "host-result-over-keeps-cumulative"
title = "A withheld result does not count as delivered"
family = "host-calls-and-budgets"
threat = """
What never entered the worker is not host bytes. One oversized answer must not take the budget of the honest ones.
"""
invariants = ["I5", "I8"]
flags = ["budget-exhaustion"]

[setup]
host = "mock"

[expect]
value = '["host_result_bytes_limit", "ok", "ok", "ok", "ok"]'
---*/
const outcomes = [];
for (const size of [65537, 65536, 65536, 65536, 65536]) {
  try {
    await codemode.wit.list({ snapshot_id: 'BYTES:' + size });
    outcomes.push('ok');
  } catch (e) {
    outcomes.push(e.code);
  }
}
return outcomes;
