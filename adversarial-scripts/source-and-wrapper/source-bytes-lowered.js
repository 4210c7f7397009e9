/*---
id = "source-bytes-lowered"
title = "The operator's smaller source"
family = "source-and-wrapper"
threat = """
A policy of a hundred bytes refuses a source of a hundred and one.
"""
invariants = ["I5", "I12"]
flags = ["operator-policy", "size-boundary"]
boundary = ["source_bytes/lowered/over"]
generate = [
  { prefix = "//", repeat = "x", count = 90, suffix = "\nreturn 1" },
]

[setup]
policy = { source_bytes = 100 }

[expect]
code = "source_bytes_limit"
measured = 101
limit = 100
---*/
