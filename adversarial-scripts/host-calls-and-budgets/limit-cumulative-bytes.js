/*---
id = "limit-cumulative-bytes"
title = "Five large results, one after another"
family = "host-calls-and-budgets"
threat = """
Each fits, and the five together do not. The last is refused, and the four before it stay with the script.
"""
invariants = ["I5", "I9"]
flags = ["budget-exhaustion"]
refs = [
  "cloudflare/agents#2143",
]

[setup]
host = "mock"

[expect]
value = '["ok", "ok", "ok", "ok", "cumulative_host_bytes_limit"]'
---*/
const c = [];
for (let i = 0; i < 5; i++) {
  try {
    await codemode.wit.list({ snapshot_id: 'BYTES:60000' });
    c.push('ok');
  } catch (e) {
    c.push(e.code);
  }
}
return c;
