/*---
id = "read-binary"
title = "Reading a binary file"
family = "operations"
threat = """
Binary contents are not text, and decoding them lossily would hand a model noise under the name of a file.
"""
invariants = ["I9"]
flags = ["repository-errors"]
snapshot = true

[expect]
code = "not_text"
operation = "wit_read"
---*/
const { snapshot_id } = await codemode.wit.open({ repo: 'demo/fixture' });
return await codemode.wit.read({ snapshot_id, path: 'data/blob.bin' });
