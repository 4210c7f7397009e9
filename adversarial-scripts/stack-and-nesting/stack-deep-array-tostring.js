/*---
id = "stack-deep-array-tostring"
title = "String conversion of an array nested 100 000 deep"
family = "stack-and-nesting"
threat = """
The nesting is built without recursion, so that only the native conversion recurses. It must hit the limit, not the
guard page.
"""
invariants = ["I5", "I10"]
flags = ["stack-exhaustion"]
refs = [
  "class of LadybirdBrowser/ladybird#10361",
]

[expect]
code = "code_rejected"
reason = "stack_limit"
---*/
let a = [];
for (let i = 0; i < 100000; i++) a = [a];
return String(a);
