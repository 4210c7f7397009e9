/*---
id = "mem-mapped-arguments-gc"
title = "Mapped arguments in cycles"
family = "engine-regressions"
threat = """
The arguments object of a sloppy function shares variables with its frame, and outlives it. Collectors have freed
them too early.
"""
invariants = ["I4", "I10"]
flags = ["engine-memory-safety"]
refs = [
  "quickjs-ng/quickjs#1400, CVE-2026-37630",
  "tests/suspended-coroutine-mapped-arguments-gc.js",
]

[expect]
value = '6000'
---*/
const f = Function('a', 'b', 'return [arguments, () => { a = {}; b = arguments; }]');
let n = 0;
for (let i = 0; i < 3000; i++) {
  const [x, g] = f({}, {});
  g();
  x.self = x;
  n += x.length;
}
return n;
