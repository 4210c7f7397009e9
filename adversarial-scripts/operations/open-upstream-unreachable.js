/*---
id = "open-upstream-unreachable"
title = "The repository's server cannot be reached"
family = "operations"
threat = """
The text of a failed connection names addresses, ports and proxies. Only the stable code and words may be seen.
"""
invariants = ["I7"]
flags = ["repository-errors", "information-leak"]
snapshot = true

[expect]
code = "upstream_unavailable"
operation = "wit_open"
message_without = ["127.0.0.1", "refused", "http://"]
---*/
return await codemode.wit.open({ repo: 'some/repository' });
