/*---
id = "forge-worker-exited"
title = "worker_exited forged by an Error with the ledger's own words and properties"
family = "error-forging"
threat = """
A crash is looked into by people. A script that fakes one wastes their time, and one that does so often hides a true
one. A real Error carries the stable message, the code and the operation, exactly as the genuine one would. It must
be an ordinary uncaught exception.
"""
invariants = ["I6"]
flags = ["code-forgery"]
forges = "worker_exited"

[expect]
code = "code_rejected"
reason = "uncaught_exception"
---*/
const error = new Error('The worker process died; `reason` says how.');
error.code = 'worker_exited';
error.operation = 'wit_list';
throw error;
