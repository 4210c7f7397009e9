/*---
id = "wrap-line-comment-tail"
title = "A legal body whose last line is a comment without a newline"
family = "source-and-wrapper"
threat = """
A wrapper that adds its closing brace on the same line loses it in the comment. This is honest code that a naive
template breaks: it must run and return its value.
"""
invariants = ["I4"]
flags = ["wrapper-escape", "source-form"]
refs = [
  "nginx/njs#922 (newline added to the template)",
  "SerenityOS/serenity#3869",
]

[expect]
value = '"kept"'
---*/
return 'kept' // done
