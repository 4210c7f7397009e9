/*---
id = "poison-string-lowercase"
title = "A string method that makes the suggestion of names explode"
family = "replaced-intrinsics"
threat = """
The nearest-name suggestion compares the unknown name with every method. If it lower-cased names with the script's
own method, five thousand extra characters would make each comparison quadratic. It must be computed natively over
bounded text.
"""
invariants = ["I5"]
flags = ["prototype-poisoning", "bridge-tampering"]

[expect]
value = '"unknown_method"'
---*/
String.prototype.toLowerCase = function () {
  return this + 'x'.repeat(5000);
};
try {
  codemode.wit.zz;
} catch (e) {
  return e.code;
}
