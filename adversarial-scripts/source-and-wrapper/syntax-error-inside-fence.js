/*---
id = "syntax-error-inside-fence"
title = "A syntax error inside a Markdown fence"
family = "source-and-wrapper"
threat = """
The fence is forgiven, and its first line is still the user's first line: positions count in the text that was sent.
"""
invariants = ["I4"]
flags = ["source-form"]

[expect]
code = "code_rejected"
reason = "syntax_error"
line = 3
---*/
```js
const a = 1;
let b = ;
return a;
```
