/*---
id = "bridge-methods-are-not-constructors"
title = "Methods have no prototype, and cannot be constructed or renamed"
family = "capability-probing"
threat = """
A method that is an ordinary function carries a prototype object, which the script can change for all later calls,
and a name that errors repeat.
"""
invariants = ["I4"]
flags = ["bridge-tampering"]

[expect]
value = '[true, "TypeError", "TypeError"]'
---*/
const f = codemode.wit.list;
const out = [!('prototype' in f) || Object.isFrozen(f)];
try {
  new f({});
  out.push('constructed');
} catch (e) {
  out.push(e.name);
}
try {
  f.extra = 1;
  out.push('extended');
} catch (e) {
  out.push(e.name);
}
return out;
