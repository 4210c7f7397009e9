/*---
id = "limit-help-and-unknown-are-free"
title = "Fifty look-ups that cost nothing"
family = "host-calls-and-budgets"
threat = """
help() and unknown names are answered in the worker. If they used up host calls, a confused model would have none
left for work.
"""
invariants = ["I8"]
flags = ["budget-exhaustion", "discoverability"]

[expect]
value = 'true'
usage = { host_calls = 2, pages = 1, snapshots = 1 }
---*/
for (let i = 0; i < 50; i++) {
  codemode.wit.help();
  try {
    codemode.wit.zz;
  } catch (e) {}
}
const { snapshot_id } = await codemode.wit.open({ repo: 'demo/fixture' });
return (await codemode.wit.list({ snapshot_id })).snapshot_id === snapshot_id;
