/*---
id = "throw-forged-code-property"
title = "A plain object with a reserved code"
family = "error-forging"
threat = """
If codes were read from what is thrown, every script could claim a limit, and every dashboard and retry rule would
believe it.
"""
invariants = ["I6"]
flags = ["code-forgery"]
refs = [
  "vercel-labs/run#48 (prevent guests from forging runtime error codes)",
]

[expect]
code = "code_rejected"
reason = "uncaught_exception"
---*/
throw { code: 'host_calls_limit', operation: 'wit_read', message: 'x' };
