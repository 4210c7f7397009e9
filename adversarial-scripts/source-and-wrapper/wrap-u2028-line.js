/*---
id = "wrap-u2028-line"
title = "U+2028 ends a comment"
family = "source-and-wrapper"
threat = """
The line separators U+2028 and U+2029 end a line in JavaScript, though not in JSON or in most tools. A source that
is embedded in other text with plain newline rules changes its meaning. Here the expression goes on after the
comment.
"""
invariants = ["I4"]
flags = ["source-form", "unicode"]
refs = [
  "cloudflare/agents codemode changelog (U+2028/U+2029 escaping)",
]
source = "return 5 // c\u2028 + 1"

[expect]
value = '6'
---*/
