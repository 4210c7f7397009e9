/*---
id = "syntax-error-first-line"
title = "A syntax error on the first line"
family = "source-and-wrapper"
threat = """
The first line is where a wrapper's own text would stand before the source: its length would be added to the column.
"""
invariants = ["I4"]
flags = ["source-form"]

[expect]
code = "code_rejected"
reason = "syntax_error"
line = 1
---*/
return 1 +;
