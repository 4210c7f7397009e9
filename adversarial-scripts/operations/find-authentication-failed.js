/*---
id = "find-authentication-failed"
title = "A search with credentials that GitHub refuses"
family = "operations"
threat = """
The token must not be echoed with the refusal, nor the server's words, headers and reason phrase, which may repeat it.
"""
invariants = ["I7"]
flags = ["repository-errors", "information-leak"]
snapshot = true

[setup]
upstream = { status = 401 }

[expect]
code = "authentication_failed"
operation = "wit_find_repositories"
---*/
return await codemode.wit.findRepositories({ query: 'rocket' });
