/*---
id = "find-upstream-failing"
title = "A search while GitHub is down"
family = "operations"
threat = """
A page about an outage holds whatever a stranger put there. It must neither reach the model nor be taken for results.
"""
invariants = ["I7"]
flags = ["repository-errors", "information-leak"]
snapshot = true

[setup]
upstream = { status = 503 }

[expect]
code = "upstream_unavailable"
operation = "wit_find_repositories"
---*/
return await codemode.wit.findRepositories({ query: 'rocket' });
