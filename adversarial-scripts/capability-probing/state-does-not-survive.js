/*---
id = "state-does-not-survive"
title = "Nothing survives between two invocations"
family = "capability-probing"
threat = """
One invocation, one process. State left on globals, prototypes or registered symbols must not be there for the next
script, which may be another user's.
"""
invariants = ["I1"]
flags = ["state-carry-over"]

[expect]
value = '1'

[[then]]
source = "return [typeof globalThis.left, ({}).left === undefined]"
expect = { value = '["undefined", true]' }
---*/
globalThis.left = 'behind';
Object.prototype.left = 'behind';
Symbol.for('left').description;
return 1;
