/*---
id = "wrap-operator-second-function"
title = "A break-out with a binary operator between two functions"
family = "source-and-wrapper"
threat = """
Closing the wrapper and opening a second function after an operator is valid both behind a declaration and behind an
expression, which defeats a check that only looks for commas or semicolons. The body on its own does not parse, and
that is what must be checked.
"""
invariants = ["I4"]
flags = ["wrapper-escape"]

[expect]
code = "code_rejected"
reason = "syntax_error"
---*/
return 1 } + function () { return 2
