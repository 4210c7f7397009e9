/*---
id = "deadline-stops-while-host-works"
title = "The JavaScript clock stops while the host works"
family = "promises-and-microtasks"
threat = """
A slow repository must not use up the script's own time: the budget here is shorter than the host operation, and
only the operation's own deadline may end it.
"""
invariants = ["I5"]
flags = ["budget-exhaustion"]

[setup]
policy = { wall_ms = 200, operation_ms = 1000 }
upstream = "hang"

[expect]
value = '"deadline_exceeded wit_open"'
---*/
try {
  await codemode.wit.open({ repo: 'slow/upstream' });
  return 'opened';
} catch (e) {
  return `${e.code} ${e.operation}`;
}
