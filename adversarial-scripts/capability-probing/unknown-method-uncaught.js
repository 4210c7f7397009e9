/*---
id = "unknown-method-uncaught"
title = "An unknown method, uncaught"
family = "capability-probing"
threat = """
The most common mistake of a model. The tool must answer with the code, the name that was tried and the nearest one.
"""
invariants = ["I4"]
flags = ["discoverability"]
snapshot = true

[expect]
code = "unknown_method"
operation = "codemode.wit.search"
message = ["searchCode"]
---*/
await codemode.wit.search({ queries: ['x'] });
