/*---
id = "pages-lowered-over"
title = "One more than the operator's two pages"
family = "host-calls-and-budgets"
threat = """
The third page is refused by the parent before dispatch: the worker does not know this limit at all.
"""
invariants = ["I5", "I12"]
flags = ["operator-policy", "budget-exhaustion"]
boundary = ["pages/lowered/over"]

[setup]
policy = { pages = 2 }

[expect]
code = "pages_limit"
measured = 3
limit = 2
---*/
const { snapshot_id } = await codemode.wit.open({ repo: 'demo/fixture' });
for (let i = 0; i < 3; i++) await codemode.wit.list({ snapshot_id, path: 'docs' });
return 'no';
