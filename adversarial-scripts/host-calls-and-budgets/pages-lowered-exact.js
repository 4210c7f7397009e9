/*---
id = "pages-lowered-exact"
title = "The operator's two pages"
family = "host-calls-and-budgets"
threat = """
A policy of two pages gives two; opens are counted apart.
"""
invariants = ["I5", "I12"]
flags = ["operator-policy", "budget-exhaustion"]
boundary = ["pages/lowered/at"]

[setup]
policy = { pages = 2 }

[expect]
value = '2'
usage = { pages = 2, snapshots = 1 }
---*/
const { snapshot_id } = await codemode.wit.open({ repo: 'demo/fixture' });
let pages = 0;
for (let i = 0; i < 2; i++) pages += (await codemode.wit.list({ snapshot_id, path: 'docs' })).returned_items > 0;
return pages;
