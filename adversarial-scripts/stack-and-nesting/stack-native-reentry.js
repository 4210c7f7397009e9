/*---
id = "stack-native-reentry"
title = "Recursion through native functions"
family = "stack-and-nesting"
threat = """
sort, replace, map, a reviver, conversions and proxies call back into the script from C, where each level costs far
more real stack. The check has to be made in native frames too, or the process dies of a real overflow.
"""
invariants = ["I5", "I10"]
flags = ["stack-exhaustion", "engine-memory-safety"]
refs = [
  "quickjs-ng tests/bug776.js (apply recursion)",
]

[expect]
value = 'true'
---*/
const out = [];
const fs = [
  function a() {
    return [2, 1].sort(a);
  },
  function b() {
    return 'a'.replace('a', b);
  },
  function c() {
    return [1].map(c);
  },
  function d() {
    return JSON.parse('[1]', d);
  },
  function e() {
    return String({ toString: e });
  },
  function g() {
    return Reflect.apply(g, null, []);
  },
  function h() {
    return new Proxy(h, {
      apply() {
        return h();
      },
    })();
  },
];
for (const f of fs) {
  try {
    f();
    out.push('no');
  } catch (e) {
    out.push(e.name);
  }
}
return out.every((x) => x === 'RangeError' || x === 'TypeError' || x === 'InternalError');
