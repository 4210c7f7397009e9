/*---
id = "syntax-error-crlf"
title = "A syntax error in a source with CRLF lines"
family = "source-and-wrapper"
threat = """
Counting both characters of CRLF as line ends doubles every line number.
"""
invariants = ["I4"]
flags = ["source-form"]
source = "const a = 1;\r\nconst b = 2;\r\nlet c = ;\r\n"

[expect]
code = "code_rejected"
reason = "syntax_error"
line = 3
---*/
