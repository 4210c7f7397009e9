/*---
id = "read-path-not-found"
title = "A path that the snapshot does not have"
family = "operations"
threat = """
The failure names the operation and says what to do next, without listing neighbours.
"""
invariants = ["I7"]
flags = ["repository-errors"]
snapshot = true

[expect]
code = "path_not_found"
operation = "wit_read"
---*/
const { snapshot_id } = await codemode.wit.open({ repo: 'demo/fixture' });
return await codemode.wit.read({ snapshot_id, path: 'src/nothing.rs' });
