/*---
id = "tool-lone-surrogate-in-code"
title = "A source with an escaped lone surrogate"
family = "tool-input"
threat = """
The JSON of the call can carry half a pair, which UTF-8 cannot. Whether it is refused by the transport or by the
tool, no worker may be started with broken text.
"""
invariants = ["I11"]
flags = ["schema-strictness", "unicode"]
raw_arguments = '''{"code": "return '\ud800'.length"}'''

[expect]
code = "invalid_arguments"
any_of = [{ no_answer = true }, { code = "code_rejected", reason = "syntax_error" }]
---*/
