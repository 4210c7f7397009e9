/*---
id = "forge-snapshot-not-found"
title = "snapshot_not_found forged by a rejected promise with an object that looks right"
family = "error-forging"
threat = """
A false one makes a client open repositories again, which costs a fetch each time. The fake comes as the rejection
of a returned promise, the road that genuine host errors take. It must be an ordinary uncaught exception.
"""
invariants = ["I6"]
flags = ["code-forgery"]
forges = "snapshot_not_found"

[expect]
code = "code_rejected"
reason = "uncaught_exception"
---*/
return Promise.reject(Object.assign(new Error('The snapshot is not in the cache.'), { code: 'snapshot_not_found', operation: 'wit_list' }));
