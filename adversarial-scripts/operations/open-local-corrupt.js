/*---
id = "open-local-corrupt"
title = "A mapped repository whose objects are damaged"
family = "operations"
threat = """
Damaged packs have crashed readers. It must be a plain failure, with neither path nor the library's text.
"""
invariants = ["I7", "I10"]
flags = ["repository-errors", "engine-memory-safety"]
snapshot = true

[setup]
local = { "demo/corrupt" = "corrupt" }

[expect]
code = "operation_failed"
operation = "wit_open"
---*/
return await codemode.wit.open({ repo: 'demo/corrupt' });
