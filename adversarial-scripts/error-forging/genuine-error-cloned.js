/*---
id = "genuine-error-cloned"
title = "A copy of a genuine error"
family = "error-forging"
threat = """
A fresh error with the prototype, code, operation and message of a genuine one is equal in everything a script can
see, and it is not that error.
"""
invariants = ["I6"]
flags = ["code-forgery", "genuine-error"]

[expect]
code = "code_rejected"
reason = "uncaught_exception"
---*/
try {
  await codemode.wit.read({});
} catch (genuine) {
  const copy = Object.create(Object.getPrototypeOf(genuine), Object.getOwnPropertyDescriptors(genuine));
  throw copy;
}
