/*---
id = "limit-server-host-operations"
title = "An operation that finds every server slot taken"
family = "host-calls-and-budgets"
threat = """
Calls to a server that never answers could hold every slot for host operations and let everyone else wait without
end. Here the only slot is held by such a call: the second must be told after half of its own time, while the first
goes on to its own deadline. Both errors are catchable and say which operation they belong to.
"""
invariants = ["I5", "I8"]
flags = ["budget-exhaustion"]
boundary = ["host_operations/lowered/over"]
snapshot = true

[setup]
policy = { host_operations = 1, operation_ms = 600 }
upstream = "hang"

[expect]
code = "server_host_operations_limit"
operation = "wit_open"
max_ms = 3000
---*/
const held = codemode.wit.open({ repo: 'slow/first' }).catch((error) => error.code);
try {
  await codemode.wit.open({ repo: 'slow/second' });
} catch (error) {
  if ((await held) !== 'deadline_exceeded') throw new Error('the first call ended otherwise');
  throw error;
}
return 'both calls found a slot';
