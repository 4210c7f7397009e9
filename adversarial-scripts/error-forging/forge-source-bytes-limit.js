/*---
id = "forge-source-bytes-limit"
title = "source_bytes_limit forged by a rejected promise with an object that looks right"
family = "error-forging"
threat = """
The source limit is decided before the script runs, so a running script can never have met it. A false one would
make clients split sources for nothing. The fake comes as the rejection of a returned promise, the road that genuine
host errors take. It must be an ordinary uncaught exception.
"""
invariants = ["I6"]
flags = ["code-forgery"]
forges = "source_bytes_limit"

[expect]
code = "code_rejected"
reason = "uncaught_exception"
---*/
return Promise.reject(Object.assign(new Error('The JavaScript source is larger than the limit.'), { code: 'source_bytes_limit', operation: 'wit_list' }));
