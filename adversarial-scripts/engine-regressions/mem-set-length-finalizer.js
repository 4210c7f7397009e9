/*---
id = "mem-set-length-finalizer"
title = "An array truncated while it is destructured into"
family = "engine-regressions"
threat = """
The right-hand side frees the slots that the left-hand side is about to write.
"""
invariants = ["I4", "I10"]
flags = ["engine-memory-safety"]
refs = [
  "quickjs-ng tests/fix_set_array_length-uaf.js",
]

[expect]
value = '2'
---*/
const a = [{}, {}, {}];
[a[0], a[1]] = ((a.length = 0), [1, 2]);
return a.length;
