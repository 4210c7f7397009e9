/*---
id = "stack-lowered-under"
title = "Sixty frames fit the operator's smaller stack"
family = "stack-and-nesting"
threat = """
A quarter of the stack holds a quarter of the frames, no less.
"""
invariants = ["I5", "I12"]
flags = ["stack-exhaustion", "operator-policy"]
boundary = ["stack_bytes/lowered/at"]

[setup]
policy = { stack_bytes = 65536 }

[expect]
value = '60'
---*/
const depth = (n) => (n === 0 ? 0 : 1 + depth(n - 1));
return depth(60);
