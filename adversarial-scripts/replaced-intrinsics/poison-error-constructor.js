/*---
id = "poison-error-constructor"
title = "The Error constructor replaced by one that returns nothing useful"
family = "replaced-intrinsics"
threat = """
Errors of ours that are made with the global Error become whatever the script likes, without code or operation. They
must be made from the engine's intrinsic and keep both.
"""
invariants = ["I6"]
flags = ["prototype-poisoning"]
refs = [
  "vercel-labs/run security-hardening.test.ts (Error prototype setters)",
  "vm2 category 4",
]

[expect]
value = '["unknown_method", "codemode.wit.zz"]'
---*/
globalThis.Error = function () {
  return {};
};
try {
  codemode.wit.zz;
} catch (e) {
  return [e.code, e.operation];
}
