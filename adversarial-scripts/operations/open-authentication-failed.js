/*---
id = "open-authentication-failed"
title = "A server that refuses the credentials"
family = "operations"
threat = """
The token must not be echoed with the refusal, nor the server's words, which may repeat it.
"""
invariants = ["I7"]
flags = ["repository-errors", "information-leak"]
snapshot = true

[setup]
upstream = { status = 401 }

[expect]
code = "authentication_failed"
operation = "wit_open"
---*/
return await codemode.wit.open({ repo: 'some/repository' });
