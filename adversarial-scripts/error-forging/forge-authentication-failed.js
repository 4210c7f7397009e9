/*---
id = "forge-authentication-failed"
title = "authentication_failed forged by a rejected promise with an object that looks right"
family = "error-forging"
threat = """
A false one makes operators rotate a token that works. The fake comes as the rejection of a returned promise, the
road that genuine host errors take. It must be an ordinary uncaught exception.
"""
invariants = ["I6"]
flags = ["code-forgery"]
forges = "authentication_failed"

[expect]
code = "code_rejected"
reason = "uncaught_exception"
---*/
return Promise.reject(Object.assign(new Error('The server refused the credentials.'), { code: 'authentication_failed', operation: 'wit_open' }));
