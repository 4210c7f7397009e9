/*---
id = "oom-after-catch-cannot-build-result"
title = "The heap still full when the result is built"
family = "memory"
threat = """
The script catches the failure and keeps everything. A serializer outside the heap delivers the value; one inside
must report the heap limit. Neither may crash.
"""
invariants = ["I5", "I9"]
flags = ["heap-exhaustion"]
refs = [
  "bellard/quickjs#530, #468",
]

[expect]
value = '"held"'
any_of = [{ code = "code_rejected", reason = "heap_limit" }]
---*/
globalThis.h = [];
try {
  for (;;) h.push({ a: 1 });
} catch (e) {}
return 'held';
