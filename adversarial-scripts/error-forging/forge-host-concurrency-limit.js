/*---
id = "forge-host-concurrency-limit"
title = "host_concurrency_limit forged by an AggregateError around a genuine one"
family = "error-forging"
threat = """
A false concurrency limit makes clients retry at once. The fake holds a genuine error in `errors` and `cause`, and
the reserved code on itself. It must be an ordinary uncaught exception.
"""
invariants = ["I6"]
flags = ["code-forgery"]
forges = "host_concurrency_limit"

[expect]
code = "code_rejected"
reason = "uncaught_exception"
---*/
let genuine;
try {
  codemode.wit.nothing;
} catch (e) {
  genuine = e;
}
throw Object.assign(new AggregateError([genuine], 'The script had more host calls outstanding at once than allowed.', { cause: genuine }), { code: 'host_concurrency_limit', operation: 'wit_list' });
