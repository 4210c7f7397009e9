/*---
id = "cursor-forged"
title = "A cursor that was never issued"
family = "operations"
threat = """
Cursors carry a position. One that can be made by hand could point outside what was asked for; it is tamper-evident
and refused.
"""
invariants = ["I6"]
flags = ["argument-abuse", "code-forgery"]
snapshot = true

[expect]
code = "invalid_cursor"
operation = "wit_list"
---*/
const { snapshot_id } = await codemode.wit.open({ repo: 'demo/fixture' });
return await codemode.wit.list({ snapshot_id, cursor: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' });
