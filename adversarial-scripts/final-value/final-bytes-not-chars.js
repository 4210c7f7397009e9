/*---
id = "final-bytes-not-chars"
title = "A result over the limit in bytes but not in characters"
family = "final-value"
threat = """
16 384 euro signs are 49 152 bytes and two quotes. Counting characters would let three times the limit through.
"""
invariants = ["I5", "I9"]
flags = ["size-boundary", "unicode"]
refs = [
  "stargate/data-api#710",
]

[expect]
code = "final_result_bytes_limit"
limit = 49152
---*/
return '\u20ac'.repeat(16384);
