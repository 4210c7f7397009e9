/*---
id = "mem-sort-mutate-array"
title = "A comparator that empties the array being sorted"
family = "engine-regressions"
threat = """
The sort's copy and the array go apart; writing back without care writes into freed slots.
"""
invariants = ["I4", "I10"]
flags = ["engine-memory-safety"]

[expect]
value = '"number"'
---*/
const a = Array.from({ length: 500 }, (_, i) => ({ i: 500 - i }));
a.sort((x, y) => {
  a.length = 0;
  return x.i - y.i;
});
return typeof a.length;
