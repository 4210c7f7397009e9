/*---
id = "heap-default-over"
title = "Seventeen megabytes do not fit the default heap"
family = "memory"
threat = """
The upper half: one allocation beyond 16 MiB fails in the engine, long before the kernel's limit on the address space.
"""
invariants = ["I5"]
flags = ["heap-exhaustion"]
boundary = ["heap_bytes/default/over"]

[expect]
code = "code_rejected"
reason = "heap_limit"
limit = 16777216
---*/
return new Uint8Array(17 * 1024 * 1024).fill(1).length;
