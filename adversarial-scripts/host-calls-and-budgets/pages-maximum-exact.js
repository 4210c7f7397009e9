/*---
id = "pages-maximum-exact"
title = "Sixteen pages, the most a policy can give"
family = "host-calls-and-budgets"
threat = """
Sixteen calls are all an invocation has; with the largest policy every one of them may be a page.
"""
invariants = ["I5", "I12"]
flags = ["operator-policy", "budget-exhaustion"]
boundary = ["pages/maximum/at"]

[setup]
policy = { pages = 16 }

[expect]
value = '16'
usage = { host_calls = 16, pages = 16 }
---*/
let pages = 0;
for (let i = 0; i < 16; i++) pages += (await codemode.wit.refs({ repo: 'demo/fixture' })).returned_items > 0;
return pages;
