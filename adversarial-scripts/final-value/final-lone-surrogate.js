/*---
id = "final-lone-surrogate"
title = "A string cut through an emoji"
family = "final-value"
threat = """
Models slice text by index, which leaves half a surrogate pair. That is honest code: the half becomes U+FFFD, once,
and the run succeeds.
"""
invariants = ["I9"]
flags = ["unicode"]
refs = [
  "serde-rs/json#495, #827",
  "vercel-labs/agent-browser#720",
]

[expect]
value = '"\ufffd o"'
---*/
return '\ud83d\ude00 ok'.slice(1, 4);
