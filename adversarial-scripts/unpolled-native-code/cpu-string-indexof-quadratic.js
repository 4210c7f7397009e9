/*---
id = "cpu-string-indexof-quadratic"
title = "A near-match string search that is quadratic"
family = "unpolled-native-code"
threat = """
The search compares two million characters at each of two million positions, in one native call. Nothing polls
inside it.
"""
invariants = ["I5", "I10"]
flags = ["busy-native-code"]
refs = [
  "class of quickjs-emscripten#219",
  "SandboxJS#56/#57 (native tick accounting)",
]

[setup]
policy = { wall_ms = 300 }

[expect]
code = "deadline_exceeded"
max_ms = 3000
---*/
const h = 'a'.repeat(4e6),
  n = 'a'.repeat(2e6) + 'b';
return h.indexOf(n);
