/*---
id = "poison-thenable-object-prototype"
title = "`then` on every object"
family = "replaced-intrinsics"
threat = """
Resolving a promise with an object reads its `then`. For the value that the script itself returns this is what the
language says; if the envelope were resolved through a promise too, the script could replace the whole answer.
"""
invariants = ["I6"]
flags = ["prototype-poisoning", "promise-semantics"]
refs = [
  "quickjs-ng tests/bug1355.js",
  "tc39 thenable-curtailment tests (test262#5123)",
]

[expect]
value = '"jacked"'
---*/
Object.prototype.then = function (r) {
  delete Object.prototype.then;
  r('jacked');
};
return { a: 1 };
