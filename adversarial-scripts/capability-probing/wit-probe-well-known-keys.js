/*---
id = "wit-probe-well-known-keys"
title = "The language's own probes of the namespace"
family = "capability-probing"
threat = """
Conversion, instanceof, spread and JSON.stringify read well-known names from the namespace. If each unknown name
threw unknown_method, honest code that merely prints or copies the object would fail.
"""
invariants = ["I4"]
flags = ["discoverability"]
refs = [
  "dazl-dev/engine#1730",
  "aaddrick/claude-desktop-debian#596 (mask then/catch/finally/toPrimitive/iterator)",
]

[expect]
value = '["string", "boolean", "boolean", "boolean", "number", "boolean", "boolean"]'
---*/
const w = codemode.wit;
const out = [];
for (const f of [
  () => `${Object.prototype.toString.call(w)}`,
  () => JSON.stringify({ w }) !== undefined,
  () => w instanceof Object,
  () => 'zz' in w,
  () => Object.keys(w).length,
  () => ({ ...w }).list === w.list,
  () => w == 1,
]) {
  try {
    out.push(typeof f());
  } catch (e) {
    out.push('threw ' + e.code);
  }
}
return out;
