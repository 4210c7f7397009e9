/*---
id = "wrap-html-open-comment-tail"
title = "A legal body that ends in an HTML-like comment"
family = "source-and-wrapper"
threat = """
Annex B lets a script use the HTML comment opener as a line comment. The text after it looks like the end of a
wrapper, which confuses checks made on the text. It is a comment, and the body must run.
"""
invariants = ["I4"]
flags = ["wrapper-escape", "source-form"]
refs = [
  "endojs/endo reject-html-comment.test.js / evade-html-comment.test.js",
]

[expect]
value = '"kept"'
---*/
return 'kept' <!-- })
