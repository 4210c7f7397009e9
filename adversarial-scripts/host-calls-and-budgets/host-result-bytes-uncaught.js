/*---
id = "host-result-bytes-uncaught"
title = "A file larger than one host result, uncaught"
family = "host-calls-and-budgets"
threat = """
The script asks for more bytes a page than a host result may have. The parent measures before anything enters the
worker, and withholds the whole.
"""
invariants = ["I5", "I9"]
flags = ["size-boundary", "budget-exhaustion"]
snapshot = true

[expect]
code = "host_result_bytes_limit"
operation = "wit_read"
limit = 65536
---*/
const { snapshot_id } = await codemode.wit.open({ repo: 'demo/fixture' });
return await codemode.wit.read({ snapshot_id, path: 'data/over-one-result.txt', max_bytes: 262144 });
