/*---
id = "heap-maximum-under"
title = "Fifty-six megabytes fit the largest heap a policy allows"
family = "memory"
threat = """
The address space the kernel allows a worker must leave room for the largest heap an operator can set; otherwise the
process dies where the script should have gone on.
"""
invariants = ["I5", "I12"]
flags = ["heap-exhaustion", "operator-policy"]
boundary = ["heap_bytes/maximum/at"]

[setup]
policy = { heap_bytes = 67108864 }

[expect]
value = '58720256'
---*/
return new Uint8Array(56 * 1024 * 1024).fill(1).length;
