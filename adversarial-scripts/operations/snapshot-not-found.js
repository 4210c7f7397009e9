/*---
id = "snapshot-not-found"
title = "A snapshot handle that was never issued"
family = "operations"
threat = """
Handles can be guessed. An unknown one must be refused as such, with nothing said about what the cache holds.
"""
invariants = ["I7"]
flags = ["repository-errors", "information-leak"]
snapshot = true

[expect]
code = "snapshot_not_found"
operation = "wit_list"
---*/
return await codemode.wit.list({ snapshot_id: 'never-issued' });
