/*---
id = "open-upstream-garbage"
title = "A server that does not speak HTTP"
family = "operations"
threat = """
The peer answers with bytes that hold a canary. A client library that quotes what it could not parse would hand them
on.
"""
invariants = ["I7"]
flags = ["repository-errors", "information-leak", "host-data"]

[setup]
upstream = "garbage"

[expect]
code = "upstream_unavailable"
operation = "wit_open"
---*/
return await codemode.wit.open({ repo: 'some/repository' });
