/*---
id = "pages-exactly-8"
title = "Eight pages"
family = "host-calls-and-budgets"
threat = """
The lower half of the page boundary at its default.
"""
invariants = ["I5"]
flags = ["budget-exhaustion"]
boundary = ["pages/default/at"]

[expect]
value = '8'
usage = { pages = 8 }
---*/
const { snapshot_id } = await codemode.wit.open({ repo: 'demo/fixture' });
let pages = 0;
for (let i = 0; i < 8; i++) pages += (await codemode.wit.list({ snapshot_id, path: 'docs' })).returned_items > 0;
return pages;
