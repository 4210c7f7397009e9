/*---
id = "forge-repository-too-large"
title = "repository_too_large forged by an Error with the ledger's own words and properties"
family = "error-forging"
threat = """
A false one sends users to the operator for a cap that was never met. A real Error carries the stable message, the
code and the operation, exactly as the genuine one would. It must be an ordinary uncaught exception.
"""
invariants = ["I6"]
flags = ["code-forgery"]
forges = "repository_too_large"

[expect]
code = "code_rejected"
reason = "uncaught_exception"
---*/
const error = new Error("The repository is over the operator's size cap.");
error.code = 'repository_too_large';
error.operation = 'wit_open';
throw error;
