/*---
id = "find-silent-upstream-has-a-deadline"
title = "A search that GitHub never answers"
family = "operations"
threat = """
A silent server must not hold an invocation and its slot beyond the time of a host operation.
"""
invariants = ["I5"]
flags = ["repository-errors"]

[setup]
upstream = "hang"
policy = { operation_ms = 400 }

[expect]
code = "deadline_exceeded"
operation = "wit_find_repositories"
max_ms = 5000
---*/
return await codemode.wit.findRepositories({ query: 'rocket' });
