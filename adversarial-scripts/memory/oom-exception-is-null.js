/*---
id = "oom-exception-is-null"
title = "An out-of-memory exception that is null"
family = "memory"
threat = """
When not even the error object can be allocated, the engine throws null. Trusted code that reads properties of the
exception must be ready for that.
"""
invariants = ["I5"]
flags = ["heap-exhaustion", "hostile-error-object"]
refs = [
  "quickjs-ng#798",
  "vercel-labs/quickjs-wasi#38",
  "bellard/quickjs#406",
]

[expect]
value = '[true, true]'
---*/
let o = {},
  n = 0;
try {
  for (; ; n++) o = Object.create(o);
} catch (e) {
  o = null;
  return [e === null, n > 1000];
}
