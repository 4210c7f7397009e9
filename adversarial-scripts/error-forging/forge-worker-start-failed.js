/*---
id = "forge-worker-start-failed"
title = "worker_start_failed forged by a rejected promise with an object that looks right"
family = "error-forging"
threat = """
It sends the operator to look at the machine. A script runs in a worker that did start. The fake comes as the
rejection of a returned promise, the road that genuine host errors take. It must be an ordinary uncaught exception.
"""
invariants = ["I6"]
flags = ["code-forgery"]
forges = "worker_start_failed"

[expect]
code = "code_rejected"
reason = "uncaught_exception"
---*/
return Promise.reject(Object.assign(new Error('The worker could not be started or locked down; `reason` says which.'), { code: 'worker_start_failed', operation: 'wit_list' }));
