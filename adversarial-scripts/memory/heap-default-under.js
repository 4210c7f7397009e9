/*---
id = "heap-default-under"
title = "Twelve megabytes fit the default heap"
family = "memory"
threat = """
The lower half of the boundary at the default of 16 MiB: honest data of twelve must fit, beside what the engine itself
needs.
"""
invariants = ["I5"]
flags = ["heap-exhaustion"]
boundary = ["heap_bytes/default/at"]

[expect]
value = '12582912'
---*/
return new Uint8Array(12 * 1024 * 1024).fill(1).length;
