/*---
id = "invalid-arguments-envelope"
title = "Missing and unknown arguments name the field"
family = "host-calls-and-budgets"
threat = """
Arguments are closed: an unknown field is refused rather than ignored, because a misspelt limit that is ignored
reads the whole repository.
"""
invariants = ["I4"]
flags = ["argument-abuse"]
snapshot = true

[expect]
code = "invalid_arguments"
operation = "wit_list"
message = ["max_item"]
---*/
const { snapshot_id } = await codemode.wit.open({ repo: 'demo/fixture' });
return await codemode.wit.list({ snapshot_id, max_item: 5 });
