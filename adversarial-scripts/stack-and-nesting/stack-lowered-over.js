/*---
id = "stack-lowered-over"
title = "Three hundred frames do not fit the operator's smaller stack"
family = "stack-and-nesting"
threat = """
What the default holds must be refused under a quarter of it: the lower limit is the one that counts.
"""
invariants = ["I5", "I12"]
flags = ["stack-exhaustion", "operator-policy"]
boundary = ["stack_bytes/lowered/over"]

[setup]
policy = { stack_bytes = 65536 }

[expect]
code = "code_rejected"
reason = "stack_limit"
limit = 65536
---*/
const depth = (n) => (n === 0 ? 0 : 1 + depth(n - 1));
return depth(300);
