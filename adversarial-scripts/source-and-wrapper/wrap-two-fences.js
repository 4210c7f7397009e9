/*---
id = "wrap-two-fences"
title = "Two Markdown fences"
family = "source-and-wrapper"
threat = """
Exactly one surrounding fence is stripped. Joining several blocks, or picking one, would run a text that nobody sent
as such.
"""
invariants = ["I4"]
flags = ["source-form"]

[expect]
code = "code_rejected"
reason = "syntax_error"
---*/
```js
return 1
```
```js
return 2
```
