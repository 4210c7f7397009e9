/*---
id = "oom-arraybuffer-max"
title = "Buffers with an absurd maximum"
family = "memory"
threat = """
Resizable and shared buffers reserve their maximum, outside the ordinary allocator in some builds. All must count
against the heap and fail cleanly.
"""
invariants = ["I5"]
flags = ["heap-exhaustion", "ambient-authority"]
refs = [
  "quickjs-ng tests/bug1296.js family",
  "vm2 category 23",
]

[expect]
value = '["err", "err", "err", "err"]'
---*/
const r = [];
for (const f of [
  () => new ArrayBuffer(2 ** 40),
  () => {
    const b = new ArrayBuffer(1, { maxByteLength: 2 ** 31 - 1 });
    b.resize(2 ** 31 - 1);
    return b;
  },
  () => new SharedArrayBuffer(2 ** 33),
  () => {
    const h = [];
    for (let i = 0; i < 400; i++) h.push(new Uint8Array(new SharedArrayBuffer(1 << 20)).fill(1));
  },
]) {
  try {
    f();
    r.push('ok');
  } catch (e) {
    r.push('err');
  }
}
return r;
