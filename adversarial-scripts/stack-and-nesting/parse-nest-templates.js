/*---
id = "parse-nest-templates"
title = "Thousands of nested template substitutions"
family = "stack-and-nesting"
threat = """
Every substitution starts the expression parser again, one of the deepest recursions a source can cause for its
length.
"""
invariants = ["I5", "I10"]
flags = ["parser-depth", "stack-exhaustion"]
refs = [
  "oxc-project/oxc#24375",
]
generate = [
  { prefix = "return ", repeat = "`${", count = 6500, suffix = "1" },
  { repeat = "}`", count = 6500 },
]

[expect]
code = "code_rejected"
reason = "stack_limit"
---*/
