/*---
id = "async-never-settles"
title = "Awaiting a promise that nothing can settle"
family = "promises-and-microtasks"
threat = """
Waiting ten seconds for the deadline would hold a worker for nothing. With no job pending and no host call
outstanding the worker knows at once that nothing will ever happen.
"""
invariants = ["I5", "I10"]
flags = ["promise-semantics"]
refs = [
  "DelSkayn/rquickjs#102",
  "quickjs-emscripten PR #90",
  "hmsk/quickjs.rb#88",
  "TanStack/ai 'fails fast for promises no host work will resolve'",
]
snapshot = true

[expect]
code = "code_rejected"
reason = "never_settles"
max_ms = 500
---*/
await new Promise(() => {});
return 1;
