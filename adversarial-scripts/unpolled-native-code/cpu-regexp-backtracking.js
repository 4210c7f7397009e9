/*---
id = "cpu-regexp-backtracking"
title = "Catastrophic backtracking"
family = "unpolled-native-code"
threat = """
The classic exponential pattern. The script's own engine backtracks, unlike the search operation, so the interrupt
inside the matcher has to end it.
"""
invariants = ["I5", "I10"]
flags = ["busy-native-code"]
refs = [
  "bellard/quickjs libregexp",
  "ocaml/opam-repository#30212 (timeout_ms added)",
]

[setup]
policy = { wall_ms = 300 }

[expect]
code = "deadline_exceeded"
max_ms = 3000
---*/
return /^(a+)+$/.test('a'.repeat(40) + 'b');
