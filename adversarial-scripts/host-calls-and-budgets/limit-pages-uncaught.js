/*---
id = "limit-pages-uncaught"
title = "The ninth page"
family = "host-calls-and-budgets"
threat = """
A script may ask for eight pages; the ninth is refused before dispatch with the page limit's own code.
"""
invariants = ["I5", "I8"]
flags = ["budget-exhaustion"]
boundary = ["pages/default/over"]
snapshot = true

[expect]
code = "pages_limit"
limit = 8
---*/
const { snapshot_id } = await codemode.wit.open({ repo: 'demo/fixture' });
for (let i = 0; i < 9; i++) await codemode.wit.list({ snapshot_id });
return 'no';
