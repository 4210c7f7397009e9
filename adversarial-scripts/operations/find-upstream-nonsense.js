/*---
id = "find-upstream-nonsense"
title = "A search answered with a page instead of results"
family = "operations"
threat = """
The answer has status 200 and is no JSON. A parser's error quotes what it read, and must not be passed on.
"""
invariants = ["I7"]
flags = ["repository-errors", "information-leak"]

[setup]
upstream = { status = 200 }

[expect]
code = "upstream_unavailable"
operation = "wit_find_repositories"
---*/
return await codemode.wit.findRepositories({ query: 'rocket' });
