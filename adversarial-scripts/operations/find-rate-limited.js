/*---
id = "find-rate-limited"
title = "A search that GitHub asks to slow down"
family = "operations"
threat = """
The time to wait is the one fact that is passed on, as a number. Whatever else GitHub says of the limit is not.
"""
invariants = ["I7"]
flags = ["repository-errors", "information-leak"]
snapshot = true

[setup]
upstream = { status = 429 }

[expect]
code = "rate_limited"
operation = "wit_find_repositories"
---*/
return await codemode.wit.findRepositories({ query: 'rocket' });
