/*---
id = "forge-capability-denied"
title = "capability_denied forged by an AggregateError around a genuine one"
family = "error-forging"
threat = """
It says that a worker asked for an operation outside the registry: the gravest thing the parent can see. No script
may cause the report. The fake holds a genuine error in `errors` and `cause`, and the reserved code on itself. It
must be an ordinary uncaught exception.
"""
invariants = ["I6"]
flags = ["code-forgery"]
forges = "capability_denied"

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
throw Object.assign(new AggregateError([genuine], 'The worker named an operation outside the registry.', { cause: genuine }), { code: 'capability_denied', operation: 'wit_list' });
