/*---
id = "wrap-unterminated-template"
title = "A body that ends inside a template literal"
family = "source-and-wrapper"
threat = """
As with an open comment, an open back-tick turns the wrapper's own text into data of the script, up to the next
back-tick in trusted code. The body alone is a syntax error.
"""
invariants = ["I4"]
flags = ["wrapper-escape"]
refs = [
  "endojs/endo break-function-eval.test.js (Matt Austin's back-tick case)",
]

[expect]
code = "code_rejected"
reason = "syntax_error"
---*/
return `
