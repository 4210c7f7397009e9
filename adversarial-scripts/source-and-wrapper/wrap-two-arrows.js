/*---
id = "wrap-two-arrows"
title = "Two arrow functions"
family = "source-and-wrapper"
threat = """
Only a body that is exactly one function expression is called. Two expressions are an ordinary body that returns
nothing.
"""
invariants = ["I4"]
flags = ["source-form", "non-json-value"]

[expect]
code = "code_rejected"
reason = "not_json"
---*/
async () => 1;
async () => 2;
