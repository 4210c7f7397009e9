/*---
id = "bind-proxy-chains"
title = "Calls through a hundred bound functions and proxies"
family = "stack-and-nesting"
threat = """
Bound functions and proxies recurse in C without bytecode in between. A hundred levels must work within the stack
limit.
"""
invariants = ["I5"]
flags = ["stack-exhaustion"]
refs = [
  "quickjs-ng tests/bug1626.js",
]

[expect]
value = '["number", "undefined"]'
any_of = [{ value = '["RangeError", "undefined"]' }, { value = '["number", "RangeError"]' }]
---*/
let f = () => 1;
for (let i = 0; i < 100; i++) f = f.bind(null);
let p = {};
for (let i = 0; i < 100; i++) p = new Proxy(p, {});
const out = [];
for (const g of [() => f(), () => p.x]) {
  try {
    out.push(typeof g());
  } catch (e) {
    out.push(e.name);
  }
}
return out;
