/*---
id = "final-getter-throws-code"
title = "A getter that throws a reserved code while the result is read"
family = "final-value"
threat = """
An exception during serialization passes through trusted code. A plain object with a code in it is still the
script's exception.
"""
invariants = ["I6"]
flags = ["code-forgery", "reentrant-serialization"]
refs = [
  "vercel-labs/run#48",
]

[expect]
code = "code_rejected"
reason = "uncaught_exception"
---*/
return {
  get a() {
    throw { code: 'cancelled', message: 'x' };
  },
};
