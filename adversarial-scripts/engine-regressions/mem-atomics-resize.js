/*---
id = "mem-atomics-resize"
title = "Resizing a buffer while an atomic operand is converted"
family = "engine-regressions"
threat = """
The address is computed, script code runs, and the store goes to memory that has moved.
"""
invariants = ["I4", "I10"]
flags = ["engine-memory-safety"]
refs = [
  "bellard/quickjs#508",
  "quickjs-ng tests/bug1301.js, bug1302.js",
]

[expect]
value = '16384'
---*/
const b = new ArrayBuffer(1024, { maxByteLength: 65536 }),
  t = new Int32Array(b);
try {
  Atomics.add(t, 0, {
    valueOf() {
      b.resize(0);
      b.resize(65536);
      return 1;
    },
  });
} catch (e) {}
return t.length;
