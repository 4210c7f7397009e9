/*---
id = "mem-uninitialised-buffer"
title = "Fresh and regrown buffers are zero"
family = "engine-regressions"
threat = """
A buffer that shows old memory leaks whatever the process held before: here the engine's own data, elsewhere the
host's.
"""
invariants = ["I4", "I7"]
flags = ["engine-memory-safety", "information-leak"]
refs = [
  "quickjs-ng tests/bug988.js",
  "bellard#492 (heap data leak)",
]

[expect]
value = 'false'
---*/
const b = new ArrayBuffer(16, { maxByteLength: 65536 });
new Uint8Array(b).fill(7);
b.resize(0);
b.resize(65536);
return new Uint8Array(b).some((x) => x) || new Uint8Array(new ArrayBuffer(65536)).some((x) => x);
