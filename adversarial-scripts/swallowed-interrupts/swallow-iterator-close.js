/*---
id = "swallow-iterator-close"
title = "Spinning in iterator.return() while another exception is pending"
family = "swallowed-interrupts"
threat = """
Closing an iterator during an exception discards what return() throws, the interrupt included, and the first
exception goes on.
"""
invariants = ["I5"]
flags = ["swallowed-interrupt"]
refs = [
  "quickjs-ng tests/bug1368.js, for-await-normal-close.js",
]

[setup]
policy = { wall_ms = 300 }

[expect]
code = "deadline_exceeded"
max_ms = 3000
---*/
try {
  for (const x of {
    [Symbol.iterator]() {
      return {
        next() {
          return { done: false };
        },
        return() {
          for (;;);
        },
      };
    },
  })
    throw 1;
} catch (e) {}
return 'continued';
