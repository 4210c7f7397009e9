/*---
id = "throw-forged-message"
title = "An Error with the deadline's words"
family = "error-forging"
threat = """
Classifying by message text is the classic mistake. The words are the script's and the failure is an ordinary
exception.
"""
invariants = ["I6"]
flags = ["code-forgery"]
refs = [
  "facelock#75",
  "TanStack/ai normalizeError",
]
snapshot = true

[expect]
code = "code_rejected"
reason = "uncaught_exception"
---*/
throw new Error('execution deadline exceeded');
