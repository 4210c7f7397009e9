/*---
id = "final-nested-promise"
title = "A forgotten await inside the result"
family = "final-value"
threat = """
A promise serializes to {}, which looks like an answer. The refusal must say that await is missing.
"""
invariants = ["I9"]
flags = ["non-json-value", "promise-semantics"]

[expect]
code = "code_rejected"
reason = "not_json"
message = ["await"]
---*/
return { r: Promise.resolve(1) };
