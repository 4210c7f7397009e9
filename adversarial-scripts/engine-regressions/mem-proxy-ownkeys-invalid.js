/*---
id = "mem-proxy-ownkeys-invalid"
title = "ownKeys traps with impossible answers"
family = "engine-regressions"
threat = """
Duplicate keys and primitives break assumptions of native code that walks the list.
"""
invariants = ["I4", "I10"]
flags = ["engine-memory-safety"]
refs = [
  "quickjs-ng tests/bug1628.js",
]

[expect]
value = '["TypeError"]'
---*/
const out = [];
for (const v of [['a', 'a'], 'ab', 1, null]) {
  try {
    Object.keys(new Proxy({}, { ownKeys: () => v }));
    out.push('ok');
  } catch (e) {
    out.push(e.name);
  }
}
return [...new Set(out)];
