/*---
id = "oom-string-doubling"
title = "Doubling a string sixty times"
family = "memory"
threat = """
Ropes make the doubling free until the length overflows. It must end in an exception of the engine, not in a wrapped
length or an abort.
"""
invariants = ["I5"]
flags = ["heap-exhaustion", "engine-memory-safety"]
refs = [
  "quickjs-ng tests/bug1571.js",
  "SandboxJS#57",
]

[expect]
code = "code_rejected"
reason = "uncaught_exception"
---*/
let s = 'a';
for (let i = 0; i < 60; i++) s += s;
return s.length;
