/*---
id = "limit-host-calls-caught"
title = "Eighteen calls with every failure caught"
family = "host-calls-and-budgets"
threat = """
Pages run out first, then host calls. Failed calls stay counted, or a script could retry without end; and both
limits must hold although every error is swallowed.
"""
invariants = ["I5", "I8"]
flags = ["budget-exhaustion"]
refs = [
  "vercel-labs/run bridge limits",
]

[expect]
value = '{"ok": 8, "pages_limit": 7, "host_calls_limit": 3}'
---*/
const { snapshot_id } = await codemode.wit.open({ repo: 'demo/fixture' });
const count = {};
for (let i = 0; i < 18; i++) {
  let outcome = 'ok';
  try {
    await codemode.wit.list({ snapshot_id });
  } catch (e) {
    outcome = e.code;
  }
  count[outcome] = (count[outcome] || 0) + 1;
}
return count;
