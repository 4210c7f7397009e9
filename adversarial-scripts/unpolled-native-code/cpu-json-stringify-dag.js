/*---
id = "cpu-json-stringify-dag"
title = "JSON.stringify of a graph that doubles thirty times"
family = "unpolled-native-code"
threat = """
Sharing makes a billion nodes of thirty objects. The native stringify neither polls nor detects it, and builds its
text until heap or time ends.
"""
invariants = ["I5"]
flags = ["busy-native-code", "heap-exhaustion"]
refs = [
  "isolated-vm tests/heap-limit-json-abuse.js",
]

[setup]
policy = { wall_ms = 300 }

[expect]
code = "deadline_exceeded"
max_ms = 3000
any_of = [{ code = "code_rejected", reason = "heap_limit" }]
---*/
let o = {};
for (let i = 0; i < 30; i++) o = { a: o, b: o };
return JSON.stringify(o).length;
