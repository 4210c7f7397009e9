/*---
id = "wrap-close-and-throw"
title = "A break-out whose own code runs before the function is looked at"
family = "source-and-wrapper"
threat = """
The text closes the wrapper's function, puts an expression of its own behind a comma, and opens another function for
the wrapper's closing brace. A worker that evaluates first and compares the function's text afterwards refuses it in
the end, but the expression has run by then: outside the function that is judged. Here it would throw, and the failure
would be an exception of the script instead of a syntax error. The whole text has to be proved a function body before
any of it runs.
"""
invariants = ["I4", "I6"]
flags = ["wrapper-escape"]
refs = ["endojs/endo break-function-eval.test.js"]

[expect]
code = "code_rejected"
reason = "syntax_error"
message_without = ["the expression ran"]
---*/
return 1 }, (() => { throw new Error('the expression ran') })(), function () { return 2
