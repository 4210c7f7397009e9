/*---
id = "open-not-found"
title = "A repository that the server does not have"
family = "operations"
threat = """
Absent and invisible look the same from outside and must be reported the same, without the server's page.
"""
invariants = ["I7"]
flags = ["repository-errors", "information-leak"]
snapshot = true

[setup]
upstream = { status = 404 }

[expect]
code = "repository_not_found"
operation = "wit_open"
---*/
return await codemode.wit.open({ repo: 'some/repository' });
