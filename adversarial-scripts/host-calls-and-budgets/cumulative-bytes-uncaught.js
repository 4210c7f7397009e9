/*---
id = "cumulative-bytes-uncaught"
title = "Five large files, uncaught"
family = "host-calls-and-budgets"
threat = """
Four results of sixty kilobytes fit 256 KiB and the fifth does not. It is refused before it enters the worker.
"""
invariants = ["I5", "I9"]
flags = ["budget-exhaustion"]
snapshot = true

[expect]
code = "cumulative_host_bytes_limit"
operation = "wit_read"
limit = 262144
---*/
const { snapshot_id } = await codemode.wit.open({ repo: 'demo/fixture' });
for (let i = 0; i < 5; i++) {
  await codemode.wit.read({ snapshot_id, path: 'data/sixty-thousand.txt', max_bytes: 262144 });
}
return 'no';
