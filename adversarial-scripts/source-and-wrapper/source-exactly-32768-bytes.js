/*---
id = "source-exactly-32768-bytes"
title = "A source of exactly 32 KiB"
family = "source-and-wrapper"
threat = """
The limit is inclusive. A source of exactly 32 768 bytes must run, so that the number in the documents is the number
in the code, on both sides of the pipe.
"""
invariants = ["I5"]
flags = ["size-boundary"]
boundary = ["source_bytes/default/at"]
refs = [
  "vercel-labs/run source-cache.test.ts (exact byte limit)",
]
generate = [
  { prefix = "//", repeat = "x", count = 32757, suffix = "\nreturn 1" },
]

[expect]
value = '1'
---*/
