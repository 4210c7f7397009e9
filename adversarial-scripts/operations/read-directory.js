/*---
id = "read-directory"
title = "Reading a directory"
family = "operations"
threat = """
A directory has no text. It must be its own failure, so that a model lists it instead of trying again.
"""
invariants = ["I7"]
flags = ["repository-errors"]
snapshot = true

[expect]
code = "not_a_file"
operation = "wit_read"
---*/
const { snapshot_id } = await codemode.wit.open({ repo: 'demo/fixture' });
return await codemode.wit.read({ snapshot_id, path: 'src' });
