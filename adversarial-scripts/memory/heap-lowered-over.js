/*---
id = "heap-lowered-over"
title = "Six megabytes do not fit a heap of four"
family = "memory"
threat = """
The upper half: the operator's lower limit is the one that counts, not the default.
"""
invariants = ["I5", "I12"]
flags = ["heap-exhaustion", "operator-policy"]
boundary = ["heap_bytes/lowered/over"]
snapshot = true

[setup]
policy = { heap_bytes = 4194304 }

[expect]
code = "code_rejected"
reason = "heap_limit"
---*/
return new Uint8Array(6 * 1024 * 1024).fill(1).length;
