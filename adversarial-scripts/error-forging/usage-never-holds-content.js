/*---
id = "usage-never-holds-content"
title = "The usage report holds numbers and names only"
family = "error-forging"
threat = """
Usage and call log travel with every result and into operators' logs. They must hold operation names, codes, bytes
and times, and nothing that was asked for or answered.
"""
invariants = ["I7"]
flags = ["information-leak"]

[expect]
value = '"done"'
usage = { host_calls = 2, pages = 1, snapshots = 1 }
---*/
const { snapshot_id } = await codemode.wit.open({ repo: 'demo/fixture' });
await codemode.wit.read({ snapshot_id, path: 'secrets/example.env' });
return 'done';
