/*---
id = "source-bytes-lowered-exact"
title = "The operator's smaller source, exactly full"
family = "source-and-wrapper"
threat = """
A policy of a hundred bytes runs a source of a hundred: the operator moved the number, not its meaning.
"""
invariants = ["I5", "I12"]
flags = ["operator-policy", "size-boundary"]
boundary = ["source_bytes/lowered/at"]
generate = [
  { prefix = "//", repeat = "x", count = 89, suffix = "\nreturn 1" },
]

[setup]
policy = { source_bytes = 100 }

[expect]
value = '1'
---*/
