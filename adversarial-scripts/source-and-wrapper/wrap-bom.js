/*---
id = "wrap-bom"
title = "A byte-order mark before the source"
family = "source-and-wrapper"
threat = """
U+FEFF is white space to the parser. Removing or keeping it must not change the columns of errors or the count of
bytes, and the script must run.
"""
invariants = ["I4"]
flags = ["source-form", "unicode"]
refs = [
  "nst/JSONTestSuite (BOM cases), applied to source",
]
source = "\uFEFFreturn 1"

[expect]
value = '1'
---*/
