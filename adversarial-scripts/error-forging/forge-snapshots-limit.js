/*---
id = "forge-snapshots-limit"
title = "snapshots_limit forged by a rejected promise with an object that looks right"
family = "error-forging"
threat = """
A false snapshot limit hides a failed script behind a budget. The fake comes as the rejection of a returned promise,
the road that genuine host errors take. It must be an ordinary uncaught exception.
"""
invariants = ["I6"]
flags = ["code-forgery"]
forges = "snapshots_limit"

[expect]
code = "code_rejected"
reason = "uncaught_exception"
---*/
return Promise.reject(Object.assign(new Error('The script opened more snapshots than one invocation may.'), { code: 'snapshots_limit', operation: 'wit_open' }));
