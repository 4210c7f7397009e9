/*---
id = "forge-invalid-arguments"
title = "invalid_arguments forged by an Error with the ledger's own words and properties"
family = "error-forging"
threat = """
A false one blames the arguments of a call that was never made. A real Error carries the stable message, the code
and the operation, exactly as the genuine one would. It must be an ordinary uncaught exception.
"""
invariants = ["I6"]
flags = ["code-forgery"]
forges = "invalid_arguments"

[expect]
code = "code_rejected"
reason = "uncaught_exception"
---*/
const error = new Error('An argument is missing, unknown, or not of an accepted form.');
error.code = 'invalid_arguments';
error.operation = 'wit_open';
throw error;
