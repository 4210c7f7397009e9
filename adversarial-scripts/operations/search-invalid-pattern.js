/*---
id = "search-invalid-pattern"
title = "A pattern that is not one"
family = "operations"
threat = """
The pattern's fault is the caller's to know; the engine's panic or internals are not.
"""
invariants = ["I7"]
flags = ["argument-abuse"]
snapshot = true

[expect]
code = "invalid_pattern"
operation = "wit_search_code"
---*/
const { snapshot_id } = await codemode.wit.open({ repo: 'demo/fixture' });
return await codemode.wit.searchCode({ snapshot_id, queries: ['(unclosed'] });
