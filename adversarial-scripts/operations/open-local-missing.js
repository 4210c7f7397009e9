/*---
id = "open-local-missing"
title = "A mapped directory that is not there"
family = "operations"
threat = """
The operator's path is private. The failure must not name it, and the server must not refuse to start for the sake
of one mapping.
"""
invariants = ["I7"]
flags = ["repository-errors", "information-leak"]

[setup]
local = { "demo/gone" = "missing" }

[expect]
code = "repository_not_found"
operation = "wit_open"
message_without = ["/"]
---*/
return await codemode.wit.open({ repo: 'demo/gone' });
