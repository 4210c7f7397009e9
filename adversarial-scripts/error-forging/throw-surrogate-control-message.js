/*---
id = "throw-surrogate-control-message"
title = "A message with half a surrogate, NUL, ESC and newlines"
family = "error-forging"
threat = """
The message goes into JSON, logs and terminals. The surrogate must not break the frame, and the controls must not
reach a terminal raw.
"""
invariants = ["I6", "I11"]
flags = ["hostile-error-object", "unicode"]
refs = [
  "serde-rs/json#827",
  "vercel-labs/run 'escapes control characters in error headers'",
]

[expect]
code = "code_rejected"
reason = "uncaught_exception"
---*/
throw new Error('bad \ud800 \u0000 \u001b[31m\n');
