/*---
id = "find-upstream-garbage"
title = "A search answered with what is not HTTP"
family = "operations"
threat = """
Bytes that no parser accepts tend to be quoted by the error of the parser that refused them.
"""
invariants = ["I7"]
flags = ["repository-errors", "information-leak"]

[setup]
upstream = "garbage"

[expect]
code = "upstream_unavailable"
operation = "wit_find_repositories"
---*/
return await codemode.wit.findRepositories({ query: 'rocket' });
