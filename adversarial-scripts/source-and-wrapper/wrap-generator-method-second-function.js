/*---
id = "wrap-generator-method-second-function"
title = "A break-out that also continues a class body"
family = "source-and-wrapper"
threat = """
The star makes the text valid as the next method of a class and as a multiplication. A wrapper that is a method or
an expression would take it in. The body alone is not a function body and must be refused before it runs.
"""
invariants = ["I4"]
flags = ["wrapper-escape"]

[expect]
code = "code_rejected"
reason = "syntax_error"
---*/
return 1 } * function () { return 2
