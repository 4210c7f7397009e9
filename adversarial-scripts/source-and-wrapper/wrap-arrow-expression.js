/*---
id = "wrap-arrow-expression"
title = "A script that is one arrow function nobody called"
family = "source-and-wrapper"
threat = """
Models often answer with a function instead of a body. Exactly one arrow or function expression is called; this
forgiveness must not open a second way to compile text.
"""
invariants = ["I4"]
flags = ["source-form"]
refs = [
  "cloudflare/agents normalize.test.ts",
]

[expect]
value = '42'
---*/
async () => { return 42 }
