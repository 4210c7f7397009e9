/*---
id = "mem-ta-ctor-newtarget-shrink"
title = "A prototype getter that shrinks the source of a copy"
family = "engine-regressions"
threat = """
The constructor reads the length, runs the getter, and copies with the old length.
"""
invariants = ["I4", "I10"]
flags = ["engine-memory-safety"]
refs = [
  "quickjs-ng/quickjs#1296, #1305",
  "bellard/quickjs#478",
]

[expect]
value = '0'
---*/
const b = new ArrayBuffer(64, { maxByteLength: 64 }),
  nt = Object.defineProperty(function () {}.bind(), 'prototype', {
    get() {
      b.resize(0);
      return Uint8Array.prototype;
    },
  });
try {
  return Reflect.construct(Uint8Array, [b], nt).length;
} catch (e) {
  return 0;
}
