/*---
id = "wrap-parenthesised-arrow"
title = "A script that is one arrow function in parentheses"
family = "source-and-wrapper"
threat = """
Models write the function of an immediately called expression and forget the call. It is still exactly one function
expression, and is called.
"""
invariants = ["I4"]
flags = ["source-form"]

[expect]
value = '42'
---*/
(async () => {
  return 42;
})
