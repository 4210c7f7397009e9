/*---
id = "open-local-empty"
title = "A mapped repository without a commit"
family = "operations"
threat = """
A repository that was only just made has a branch that leads nowhere. It is a missing ref, and the operator's path
is private whatever is wrong with it.
"""
invariants = ["I7"]
flags = ["repository-errors", "information-leak"]

[setup]
local = { "demo/empty" = "empty_repository" }

[expect]
code = "ref_not_found"
operation = "wit_open"
message_without = ["/"]
---*/
return await codemode.wit.open({ repo: 'demo/empty' });
