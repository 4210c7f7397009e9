/*---
id = "throw-host-error-wrapped"
title = "A genuine host error as the cause of another"
family = "error-forging"
threat = """
Only that very error keeps its code. Wrapped as a cause it is the script's own exception.
"""
invariants = ["I6"]
flags = ["code-forgery", "genuine-error"]

[expect]
code = "code_rejected"
reason = "uncaught_exception"
---*/
try {
  await codemode.wit.read({});
} catch (e) {
  throw new Error('wrapped', { cause: e });
}
