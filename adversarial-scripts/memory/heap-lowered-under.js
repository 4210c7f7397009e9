/*---
id = "heap-lowered-under"
title = "Two megabytes fit a heap of four"
family = "memory"
threat = """
The lower half of the heap boundary: a policy of 4 MiB leaves room for 2 MiB of data.
"""
invariants = ["I5"]
flags = ["heap-exhaustion"]
boundary = ["heap_bytes/lowered/at"]

[setup]
policy = { heap_bytes = 4194304 }

[expect]
value = '2097152'
---*/
return new Uint8Array(2 * 1024 * 1024).fill(1).length;
