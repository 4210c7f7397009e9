/*---
id = "wrap-unterminated-block-comment"
title = "A body that ends inside a comment"
family = "source-and-wrapper"
threat = """
An open comment would swallow whatever a template puts after the body: the validation of the result, the closing of
the wrapper. The body must be parsed by itself, where the comment is simply unterminated.
"""
invariants = ["I4"]
flags = ["wrapper-escape"]
refs = [
  "endojs/endo break-function-eval.test.js ('/*','*/){')",
  "WebKit bug 106160",
]

[expect]
code = "code_rejected"
reason = "syntax_error"
---*/
return 1; /*
