/*---
id = "final-rawjson-surrogate-bigdigits"
title = "JSON.rawJSON with an escaped lone surrogate"
family = "final-value"
threat = """
The escape is legal in JSON's grammar and impossible in UTF-8. It must not reach the parent, whose reader refuses
it.
"""
invariants = ["I6", "I9"]
flags = ["unicode", "non-json-value"]

[expect]
code = "code_rejected"
reason = "not_json"
any_of = [{ code = "code_rejected", reason = "uncaught_exception" }]
---*/
return [JSON.rawJSON('"\\ud800"')];
