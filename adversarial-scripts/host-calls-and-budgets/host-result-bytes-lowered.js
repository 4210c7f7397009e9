/*---
id = "host-result-bytes-lowered"
title = "The operator's smaller host result"
family = "host-calls-and-budgets"
threat = """
A policy may lower the limit; the same page that passes by default is then refused, and the script can go on with
less.
"""
invariants = ["I5", "I12"]
flags = ["operator-policy", "size-boundary"]

[setup]
policy = { host_result_bytes = 2048 }

[expect]
value = '["host_result_bytes_limit", true]'
---*/
const { snapshot_id } = await codemode.wit.open({ repo: 'demo/fixture' });
let code = 'none';
try {
  await codemode.wit.read({ snapshot_id, path: 'data/sixty-thousand.txt' });
} catch (e) {
  code = e.code;
}
const small = await codemode.wit.read({ snapshot_id, path: 'data/sixty-thousand.txt', max_lines: 1 });
return [code, small.text.length > 0];
