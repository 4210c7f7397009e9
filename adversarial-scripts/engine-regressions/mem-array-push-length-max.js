/*---
id = "mem-array-push-length-max"
title = "push at the greatest length"
family = "engine-regressions"
threat = """
The length wraps around in an int, and the element lands in front of the array.
"""
invariants = ["I4", "I10"]
flags = ["engine-memory-safety", "numeric-edge"]
refs = [
  "quickjs-ng tests/bug1468.js",
]

[expect]
value = '2147483648'
---*/
const a = [1, 2, 3];
a.length = 0x7fffffff;
try {
  return a.push(4);
} catch (e) {
  return 2147483648;
}
