/*---
id = "wrap-hashbang"
title = "A hashbang line in a function body"
family = "source-and-wrapper"
threat = """
A hashbang is legal only at the start of a script or module. Accepting it would mean that the source is compiled as
something other than the body of a function.
"""
invariants = ["I4"]
flags = ["source-form"]
refs = [
  "ECMA-262 hashbang",
]

[expect]
code = "code_rejected"
reason = "syntax_error"
---*/
#!/usr/bin/env node
return 1
