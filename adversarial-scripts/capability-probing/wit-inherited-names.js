/*---
id = "wit-inherited-names"
title = "Names of Object.prototype as methods"
family = "capability-probing"
threat = """
A lookup in a plain object finds constructor, __proto__ and toString and treats them as operations. They must not
become calls, whatever they evaluate to.
"""
invariants = ["I4"]
flags = ["bridge-tampering"]
refs = [
  "vercel-labs/run (reserved host function names, inherited group properties)",
]

[expect]
value = 'true'
---*/
const out = [];
for (const k of ['constructor', '__proto__', 'hasOwnProperty', 'toString', '__defineGetter__']) {
  try {
    const v = codemode.wit[k];
    out.push(typeof v);
  } catch (e) {
    out.push(e.code);
  }
}
return out.every((x) => x === 'undefined' || x === 'unknown_method' || x === 'function' || x === 'object');
