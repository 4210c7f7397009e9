/*---
id = "async-generator-suspended"
title = "Two thousand suspended generators"
family = "promises-and-microtasks"
threat = """
Frames that are never resumed have crashed collectors at exit. The result must arrive and the worker must end
cleanly.
"""
invariants = ["I10"]
flags = ["engine-memory-safety", "abandoned-work"]
refs = [
  "quickjs-ng tests/suspended-generator-closure-gc.js, suspended-coroutine-*",
]

[expect]
value = '2000'
---*/
const k = [];
for (let i = 0; i < 2000; i++) {
  const g = (function* () {
    try {
      yield i;
    } finally {
      k.length = 0;
    }
  })();
  g.next();
  k.push(g);
}
return k.length;
