/*---
id = "parse-nest-parens"
title = "15 000 nested parentheses in the source"
family = "stack-and-nesting"
threat = """
The parser recurses before any code runs. The depth must be bounded by the engine's stack check, and the failure is
the script's own.
"""
invariants = ["I5", "I10"]
flags = ["parser-depth", "stack-exhaustion"]
refs = [
  "nginx/njs#146, #156",
  "oxc-project/oxc#24375",
  "bellard/quickjs#460",
]
generate = [
  { prefix = "return ", repeat = "(", count = 15000, suffix = "1" },
  { repeat = ")", count = 15000 },
]

[expect]
code = "code_rejected"
reason = "stack_limit"
---*/
