/*---
id = "cpu-regexp-compile-explosion"
title = "A pattern whose compilation explodes"
family = "unpolled-native-code"
threat = """
Nested quantified groups once made the compiler's output grow without bound, and crashed it (CVE-2025-62495). Either
limit may catch it first; a crash may not.
"""
invariants = ["I5"]
flags = ["busy-native-code", "engine-memory-safety"]
refs = [
  "CVE-2025-62495",
  "quickjs-ng/quickjs#1221, PR #1222",
]

[setup]
policy = { wall_ms = 300 }

[expect]
code = "deadline_exceeded"
max_ms = 3000
any_of = [{ code = "code_rejected", reason = "heap_limit" }, { code = "code_rejected", reason = "uncaught_exception" }]
---*/
let s = 'a|';
for (let i = 0; i < 30; i++) s = '(?:' + s + ')+|';
return new RegExp(s).test('a');
