/*---
id = "forge-code-rejected"
title = "code_rejected forged by an Error with the ledger's own words and properties"
family = "error-forging"
threat = """
The reason of a rejection tells a client what to change. A script that could choose it would blame the heap or the
parser for its own exception. A real Error carries the stable message, the code and the operation, exactly as the
genuine one would. It must be an ordinary uncaught exception.
"""
invariants = ["I6"]
flags = ["code-forgery"]
forges = "code_rejected"

[expect]
code = "code_rejected"
reason = "uncaught_exception"
---*/
const error = new Error('The script failed; `reason` says how.');
error.code = 'code_rejected';
error.operation = 'wit_list';
throw error;
