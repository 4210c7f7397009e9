/*---
id = "host-operations-default-over"
title = "The ninth host operation at once"
family = "host-calls-and-budgets"
threat = """
All eight slots are held by calls that never end; the fourth invocation's own call holds the last. Its second call is
refused after half of its own time, and is not served late.
"""
invariants = ["I5", "I10"]
flags = ["budget-exhaustion", "capacity", "operator-policy"]
boundary = ["host_operations/default/over"]

[setup]
policy = { snapshots = 4, operation_ms = 6000 }
upstream = "hang"

[[background]]
source = "return await Promise.all([1, 2, 3, 4].map(n => codemode.wit.open({ repo: 'slow/$N-' + n })))"
waiting_calls = 4
times = 1

[[background]]
source = "return await Promise.all([1, 2].map(n => codemode.wit.open({ repo: 'slow/$N-' + n })))"
waiting_calls = 2
times = 1

[[background]]
source = "return await Promise.all([1].map(n => codemode.wit.open({ repo: 'slow/$N-' + n })))"
waiting_calls = 1
times = 1

[expect]
code = "server_host_operations_limit"
operation = "wit_refs"
max_ms = 6000
---*/
const held = codemode.wit.open({ repo: 'slow/held' });
try {
  await codemode.wit.refs({ repo: 'demo/fixture' });
} catch (error) {
  if (error.operation !== 'wit_refs') throw new Error('another call was refused');
  throw error;
}
return 'a slot was found';
