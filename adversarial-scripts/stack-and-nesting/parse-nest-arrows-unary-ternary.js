/*---
id = "parse-nest-arrows-unary-ternary"
title = "Chains of arrows, unary operators and ternaries"
family = "stack-and-nesting"
threat = """
Right-associative grammar recurses once a token. The chains together approach the source limit and must fail in the
parser, cleanly.
"""
invariants = ["I5", "I10"]
flags = ["parser-depth", "stack-exhaustion"]
refs = [
  "universal-ctags/ctags#4409",
  "ladybird#10361",
]
generate = [
  { prefix = "return ", repeat = "a=>", count = 3000 },
  { repeat = "!", count = 5000 },
  { repeat = "1?1:", count = 3000, suffix = "1" },
]

[expect]
code = "code_rejected"
reason = "stack_limit"
---*/
