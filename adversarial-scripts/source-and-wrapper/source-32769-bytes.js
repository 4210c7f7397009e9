/*---
id = "source-32769-bytes"
title = "A source one byte over 32 KiB"
family = "source-and-wrapper"
threat = """
One byte more than the limit must be refused before any worker is given the source. A parser that is fed ever larger
texts is the cheapest way to burn a server's time and memory.
"""
invariants = ["I5", "I12"]
flags = ["size-boundary"]
boundary = ["source_bytes/default/over"]
refs = [
  "vercel-labs/run source-cache.test.ts",
]
snapshot = true
generate = [
  { prefix = "//", repeat = "x", count = 32758, suffix = "\nreturn 1" },
]

[expect]
code = "source_bytes_limit"
measured = 32769
limit = 32768
---*/
