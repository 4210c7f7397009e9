/*---
id = "syntax-error-line-column"
title = "A syntax error names the user's own line and column"
family = "source-and-wrapper"
threat = """
A wrapper in front of the source shifts every position, and a model then repairs the wrong line. Line and column
must be those of the text that was sent.
"""
invariants = ["I4"]
flags = ["source-form"]
snapshot = true

[expect]
code = "code_rejected"
reason = "syntax_error"
line = 3
column = 9
---*/
const a = 1;
const b = 2;
let c = ;
return a + b;
