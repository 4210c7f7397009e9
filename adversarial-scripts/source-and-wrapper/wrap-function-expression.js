/*---
id = "wrap-function-expression"
title = "A script that is one function expression"
family = "source-and-wrapper"
threat = """
The second of the two forgiven forms. It is called without arguments, in the same strict function as any body.
"""
invariants = ["I4"]
flags = ["source-form"]

[expect]
value = '[0, "undefined"]'
---*/
async function () {
  return [arguments.length, typeof this];
}
