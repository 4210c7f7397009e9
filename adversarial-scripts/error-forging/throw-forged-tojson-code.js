/*---
id = "throw-forged-tojson-code"
title = "A code that becomes a string when it is serialized"
family = "error-forging"
threat = """
A check that runs before serialization sees an object, and the reader after it sees the reserved text.
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
throw {
  code: {
    toJSON() {
      return 'cancelled';
    },
  },
  message: 'x',
};
