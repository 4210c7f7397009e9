/*---
id = "poison-set-add-throw-code"
title = "A Set method that throws a reserved code while the result is read"
family = "replaced-intrinsics"
threat = """
Were the serializer to use a JavaScript Set, the script's method would run inside trusted code and could throw an
error that looks like a limit. The method must never be called.
"""
invariants = ["I6"]
flags = ["prototype-poisoning", "code-forgery"]
refs = [
  "vercel-labs/run#48",
  "vm2 GHSA-9qj6-qjgg-37qq",
]

[expect]
value = '{"a": 1}'
---*/
Set.prototype.add = function () {
  throw { code: 'host_calls_limit', message: 'x' };
};
return { a: 1 };
