/*---
id = "final-dag-exponential"
title = "A small graph with 16 384 leaves"
family = "final-value"
threat = """
Fourteen objects expand to more than 160 KB of JSON, and a few more would make gigabytes. Serialization must stop at
the byte budget, not after building the text.
"""
invariants = ["I5", "I9"]
flags = ["reentrant-serialization", "size-boundary"]
refs = [
  "laverdet/isolated-vm tests/heap-limit-json-abuse.js",
]

[expect]
code = "final_result_bytes_limit"
limit = 49152
---*/
let o = {};
for (let i = 0; i < 14; i++) o = { a: o, b: o };
return o;
