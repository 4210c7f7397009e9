/*---
id = "wrap-closers-inside-literals"
title = "Closing tokens inside strings, patterns, templates and comments"
family = "source-and-wrapper"
threat = """
A check that counts brackets in the text refuses or mangles honest code that only mentions them. Nothing may be
decided from the text: the engine's own parser is the judge, and this body must run.
"""
invariants = ["I4"]
flags = ["wrapper-escape", "source-form"]
refs = [
  "higgsjs/Higgs#85 and #165",
]

[expect]
value = '["[}]\\)", "})", "}) 1"]'
---*/
/* }) */ const r = /[}]\)/, s = '})', t = `}) ${1}`; // })
return [r.source, s, t]
