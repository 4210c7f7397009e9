/*---
id = "mem-set-union-mutate"
title = "A set-like argument that clears the receiver"
family = "engine-regressions"
threat = """
The native loop iterates over a table that the argument's methods have emptied.
"""
invariants = ["I4", "I10"]
flags = ["engine-memory-safety"]
refs = [
  "quickjs-ng tests/bug1565.js",
]

[expect]
value = 'true'
---*/
const s = new Set([1, 2, 3]);
const r = s.union({
  size: 1,
  has() {
    return true;
  },
  keys() {
    s.clear();
    return [9].values();
  },
});
return [...r].length > 0;
