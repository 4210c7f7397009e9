/*---
id = "stack-lowered-not-doubled"
title = "One and a half times the operator's smaller stack is too deep"
family = "stack-and-nesting"
threat = """
As stack-default-not-doubled, under a policy: 64 KiB hold about a hundred frames, and a hundred and forty must not fit.
"""
invariants = ["I5", "I12"]
flags = ["stack-exhaustion", "operator-policy"]

[setup]
policy = { stack_bytes = 65536 }

[expect]
code = "code_rejected"
reason = "stack_limit"
limit = 65536
---*/
const depth = (n) => (n === 0 ? 0 : 1 + depth(n - 1));
return depth(140);
