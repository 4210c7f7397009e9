/*---
id = "limit-snapshots"
title = "The third snapshot"
family = "host-calls-and-budgets"
threat = """
Opening can cost a network fetch, so it has a budget of its own. The third open fails; the first two stay usable.
"""
invariants = ["I5", "I8"]
flags = ["budget-exhaustion"]
boundary = ["snapshots/default/at", "snapshots/default/over"]

[expect]
value = '["ok", "ok", "snapshots_limit"]'
---*/
const outcomes = [];
for (let i = 0; i < 3; i++) {
  try {
    await codemode.wit.open({ repo: 'demo/fixture' });
    outcomes.push('ok');
  } catch (e) {
    outcomes.push(e.code);
  }
}
return outcomes;
