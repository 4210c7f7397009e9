/*---
id = "stack-default-not-doubled"
title = "One and a half times the default stack is too deep"
family = "stack-and-nesting"
threat = """
Unbounded recursion is refused under any limit, so it cannot show that the limit is the documented one. A frame of plain
recursion takes about 650 bytes: 256 KiB hold about four hundred frames, and twice as much would hold eight hundred.
Five hundred and sixty must not fit.
"""
invariants = ["I5", "I12"]
flags = ["stack-exhaustion"]

[expect]
code = "code_rejected"
reason = "stack_limit"
limit = 262144
---*/
const depth = (n) => (n === 0 ? 0 : 1 + depth(n - 1));
return depth(560);
