/*---
id = "wrap-markdown-fence"
title = "A script inside a Markdown fence"
family = "source-and-wrapper"
threat = """
Models wrap code in fences. Exactly one surrounding fence is stripped, and nothing else of the text is touched, so
that the stripping itself cannot be used to change what is parsed.
"""
invariants = ["I4"]
flags = ["source-form"]
refs = [
  "cloudflare/agents normalize.test.ts",
]

[expect]
value = '42'
---*/
```js
return 42
```
