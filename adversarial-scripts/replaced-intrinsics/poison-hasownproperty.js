/*---
id = "poison-hasownproperty"
title = "A lying hasOwnProperty"
family = "replaced-intrinsics"
threat = """
Code that asks the script-visible Object.prototype.hasOwnProperty whether a method exists can be told anything. The
namespace must answer from its own table.
"""
invariants = ["I4", "I6"]
flags = ["prototype-poisoning", "bridge-tampering"]
refs = [
  "endojs/endo packages/ses/test/_delete_hasOwn.js, hasOwn-shim.test.js",
]

[expect]
value = '"unknown_method"'
---*/
Object.prototype.hasOwnProperty = { call: () => true };
try {
  codemode.wit.nosuch;
  return 'no error';
} catch (e) {
  return e.code;
}
