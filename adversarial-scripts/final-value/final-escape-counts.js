/*---
id = "final-escape-counts"
title = "A result whose escapes are over the limit"
family = "final-value"
threat = """
A control character is one byte in the script and six in JSON. What counts is what is sent.
"""
invariants = ["I5", "I9"]
flags = ["size-boundary", "unicode"]
refs = [
  "cloudflare/agents#2143/#2224 (cap on the wrong quantity)",
  "fallow#2498",
]

[expect]
code = "final_result_bytes_limit"
limit = 49152
---*/
return '\u0001'.repeat(8192);
