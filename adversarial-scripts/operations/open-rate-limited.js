/*---
id = "open-rate-limited"
title = "A server that asks to slow down"
family = "operations"
threat = """
The time to wait is the one fact that is passed on, as a number. The page that came with it is not.
"""
invariants = ["I7"]
flags = ["repository-errors", "information-leak"]
snapshot = true

[setup]
upstream = { status = 429 }

[expect]
code = "rate_limited"
operation = "wit_open"
---*/
return await codemode.wit.open({ repo: 'some/repository' });
