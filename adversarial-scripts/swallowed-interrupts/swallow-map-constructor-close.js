/*---
id = "swallow-map-constructor-close"
title = "Spinning in iterator.return() under the Map constructor"
family = "swallowed-interrupts"
threat = """
The native constructor closes the iterator when an entry is invalid and ignores the interrupt thrown there.
"""
invariants = ["I5"]
flags = ["swallowed-interrupt"]

[setup]
policy = { wall_ms = 300 }

[expect]
code = "deadline_exceeded"
max_ms = 3000
---*/
try {
  new Map({
    [Symbol.iterator]() {
      return {
        next() {
          return { done: false, value: 1 };
        },
        return() {
          for (;;);
        },
      };
    },
  });
} catch (e) {}
return 'continued';
