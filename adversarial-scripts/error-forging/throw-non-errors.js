/*---
id = "throw-non-errors"
title = "null thrown"
family = "error-forging"
threat = """
Anything can be thrown. Trusted code that reads the properties of null fails inside itself.
"""
invariants = ["I6"]
flags = ["hostile-error-object"]
refs = [
  "vercel-labs/quickjs-wasi#38",
  "TanStack/ai isolate-driver.test.ts (thrown plain object / string)",
]

[expect]
code = "code_rejected"
reason = "uncaught_exception"
---*/
throw null;
