/*---
id = "oom-repeat-pad"
title = "Strings that are huge at once"
family = "memory"
threat = """
repeat, padEnd and join compute their length first. Each must fail with a catchable error, and the worker must
survive all four in a row.
"""
invariants = ["I5"]
flags = ["heap-exhaustion"]
refs = [
  "vm2 GHSA-6785-pvv7-mvg7",
  "quickjs-emscripten#255",
]

[expect]
value = '["err", "err", "err", "err"]'
---*/
const r = [];
for (const f of [
  () => 'a'.repeat(2 ** 29),
  () => 'a'.padEnd(2 ** 29, 'bc'),
  () => new Array(1000).join('x'.repeat(1e6)),
  () => '['.repeat(2 ** 28),
]) {
  try {
    r.push(f().length);
  } catch (e) {
    r.push('err');
  }
}
return r;
