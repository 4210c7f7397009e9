/*---
id = "throw-spinning-message"
title = "An exception whose message never returns"
family = "error-forging"
threat = """
Reading the message must not run script code beyond the clock. Not reading it, or ending at the deadline, are both
right; hanging is not.
"""
invariants = ["I5"]
flags = ["hostile-error-object", "swallowed-interrupt"]
refs = [
  "hmsk/quickjs.rb PR #110",
  "vercel-labs/run#48 (no guest getters while formatting)",
]

[setup]
policy = { wall_ms = 300 }

[expect]
code = "code_rejected"
reason = "uncaught_exception"
max_ms = 3000
any_of = [{ code = "deadline_exceeded" }]
---*/
throw {
  get message() {
    for (;;);
  },
};
