/*---
id = "find-refused"
title = "A search that GitHub does not accept"
family = "operations"
threat = """
GitHub explains a refusal in words of its own, which repeat the search and may name what the caller must not see. The answer names the argument only.
"""
invariants = ["I7"]
flags = ["repository-errors", "information-leak"]
snapshot = true

[setup]
upstream = { status = 422 }

[expect]
code = "invalid_arguments"
operation = "wit_find_repositories"
---*/
return await codemode.wit.findRepositories({ query: 'rocket' });
