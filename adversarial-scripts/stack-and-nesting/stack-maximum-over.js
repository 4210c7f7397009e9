/*---
id = "stack-maximum-over"
title = "Unbounded recursion on the largest stack"
family = "stack-and-nesting"
threat = """
At the absolute maximum the engine must still stop the recursion before the real stack ends, also through native
frames that are larger than the script's.
"""
invariants = ["I5", "I12"]
flags = ["stack-exhaustion", "operator-policy"]
boundary = ["stack_bytes/maximum/over"]

[setup]
policy = { stack_bytes = 1048576 }

[expect]
code = "code_rejected"
reason = "stack_limit"
limit = 1048576
---*/
const f = (n) => [n].map(f).length + [n, n].sort((a, b) => f(a + b)).length;
return f(1);
