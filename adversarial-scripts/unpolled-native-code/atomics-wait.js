/*---
id = "atomics-wait"
title = "A blocking wait"
family = "unpolled-native-code"
threat = """
Atomics.wait would park the only thread where neither interrupt nor CPU limit see it. It cannot block here; whether
it throws or is absent, the script fails at once.
"""
invariants = ["I4", "I5"]
flags = ["ambient-authority", "swallowed-interrupt"]
refs = [
  "bellard/quickjs CAN_BLOCK flag",
]

[expect]
code = "code_rejected"
reason = "uncaught_exception"
max_ms = 3000
---*/
return Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1e9);
