/*---
id = "forge-repository-not-found"
title = "repository_not_found forged by a rejected promise with an object that looks right"
family = "error-forging"
threat = """
A false one makes an agent conclude that a repository is gone. The fake comes as the rejection of a returned
promise, the road that genuine host errors take. It must be an ordinary uncaught exception.
"""
invariants = ["I6"]
flags = ["code-forgery"]
forges = "repository_not_found"

[expect]
code = "code_rejected"
reason = "uncaught_exception"
---*/
return Promise.reject(Object.assign(new Error('There is no such repository, or it is not visible with these credentials.'), { code: 'repository_not_found', operation: 'wit_open' }));
