/*---
id = "host-operations-maximum-over"
title = "The thirty-third host operation at once"
family = "host-calls-and-budgets"
threat = """
Thirty-one slots are held and the invocation's own first call holds the last. Its second call is refused after half of
its own time.
"""
invariants = ["I5", "I10", "I12"]
flags = ["budget-exhaustion", "capacity", "operator-policy"]
boundary = ["host_operations/maximum/over"]

[setup]
policy = { host_operations = 32, invocations = 9, workers = 9, snapshots = 4, operation_ms = 8000 }
upstream = "hang"

[[background]]
source = "return await Promise.all([1, 2, 3, 4].map(n => codemode.wit.open({ repo: 'slow/$N-' + n })))"
waiting_calls = 4
times = 7

[[background]]
source = "return await Promise.all([1, 2, 3].map(n => codemode.wit.open({ repo: 'slow/$N-' + n })))"
waiting_calls = 3
times = 1

[expect]
code = "server_host_operations_limit"
operation = "wit_refs"
max_ms = 8000
---*/
const held = codemode.wit.open({ repo: 'slow/held' });
try {
  await codemode.wit.refs({ repo: 'demo/fixture' });
} catch (error) {
  if (error.operation !== 'wit_refs') throw new Error('another call was refused');
  throw error;
}
return 'a slot was found';
