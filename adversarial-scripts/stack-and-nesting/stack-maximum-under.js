/*---
id = "stack-maximum-under"
title = "Twelve hundred frames fit the largest stack"
family = "stack-and-nesting"
threat = """
The thread's real stack must hold the largest one an operator can set, with the engine's own frames on top. If it did
not, the process would die here.
"""
invariants = ["I5", "I12"]
flags = ["stack-exhaustion", "operator-policy"]
boundary = ["stack_bytes/maximum/at"]

[setup]
policy = { stack_bytes = 1048576 }

[expect]
value = '1200'
---*/
const depth = (n) => (n === 0 ? 0 : 1 + depth(n - 1));
return depth(1200);
