/*---
id = "host-calls-exactly-16"
title = "Sixteen host calls"
family = "host-calls-and-budgets"
threat = """
The lower half of the boundary, with the page budget raised out of the way: exactly sixteen calls are made and
answered.
"""
invariants = ["I5"]
flags = ["budget-exhaustion"]
boundary = ["host_calls/default/at"]

[setup]
policy = { pages = 16 }

[expect]
value = '15'
usage = { host_calls = 16, pages = 15, snapshots = 1 }
---*/
const { snapshot_id } = await codemode.wit.open({ repo: 'demo/fixture' });
let pages = 0;
for (let i = 0; i < 15; i++) {
  await codemode.wit.list({ snapshot_id, path: 'docs' });
  pages++;
}
return pages;
