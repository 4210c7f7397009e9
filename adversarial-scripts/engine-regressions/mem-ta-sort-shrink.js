/*---
id = "mem-ta-sort-shrink"
title = "A comparator that shrinks the buffer being sorted"
family = "engine-regressions"
threat = """
The sort works on memory that the comparator frees. Builds have read and written past the end here.
"""
invariants = ["I4", "I10"]
flags = ["engine-memory-safety"]
refs = [
  "quickjs-ng/quickjs#1297",
  "bellard/quickjs#477",
]

[expect]
value = '8'
---*/
const b = new ArrayBuffer(256, { maxByteLength: 256 }),
  t = new Uint8Array(b);
for (let i = 0; i < 256; i++) t[i] = 255 - i;
let n = 0;
t.sort((x, y) => {
  if (++n === 500) b.resize(8);
  return x - y;
});
return t.length;
