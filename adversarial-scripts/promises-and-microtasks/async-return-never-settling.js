/*---
id = "async-return-never-settling"
title = "Returning a thenable that never calls back"
family = "promises-and-microtasks"
threat = """
The returned value is assimilated, and its `then` does nothing. As before, this must be detected at once and not by
the deadline.
"""
invariants = ["I5"]
flags = ["promise-semantics"]
refs = [
  "decocms/studio#4438",
]

[expect]
code = "code_rejected"
reason = "never_settles"
max_ms = 500
---*/
return { then() {} };
