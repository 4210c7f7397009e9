/*---
id = "source-multibyte-over-limit"
title = "A source over the limit in bytes but not in characters"
family = "source-and-wrapper"
threat = """
The limit counts UTF-8 bytes. An implementation that counts characters or UTF-16 units would let three times the
text through. 11 000 euro signs are 33 000 bytes.
"""
invariants = ["I5"]
flags = ["size-boundary", "unicode"]
refs = [
  "s-panferov/valico#58",
  "sourcemeta/learnjsonschema.com#110",
]
generate = [
  { prefix = "//", repeat = "€", count = 11000, suffix = "\nreturn 1" },
]

[expect]
code = "source_bytes_limit"
measured = 33011
limit = 32768
---*/
