/*---
id = "poison-error-proto-setters"
title = "Setters for our own properties on Error.prototype"
family = "replaced-intrinsics"
threat = """
Assigning `code`, `operation` or `message` the ordinary way runs a setter of the script inside trusted code, which
can throw or keep the value from being set. The properties must be defined, not assigned.
"""
invariants = ["I6"]
flags = ["prototype-poisoning", "code-forgery"]
refs = [
  "vercel-labs/run 'does not invoke guest Error prototype setters'",
  "vm2 GHSA-9qj6-qjgg-37qq",
]

[expect]
value = '"unknown_method"'
---*/
for (const k of ['code', 'operation', 'message'])
  Object.defineProperty(Error.prototype, k, {
    configurable: true,
    set() {
      throw 'intercepted';
    },
    get() {
      return 'fake';
    },
  });
try {
  codemode.wit.zz;
} catch (e) {
  return e === 'intercepted' ? e : e.code;
}
