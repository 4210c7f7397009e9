/*---
id = "stack-default-under"
title = "Three hundred frames fit the default stack"
family = "stack-and-nesting"
threat = """
Near the boundary from below: a frame of plain recursion takes about 650 bytes of native stack, so that 256 KiB hold
nearly four hundred.
"""
invariants = ["I5"]
flags = ["stack-exhaustion"]
boundary = ["stack_bytes/default/at"]

[expect]
value = '300'
---*/
const depth = (n) => (n === 0 ? 0 : 1 + depth(n - 1));
return depth(300);
