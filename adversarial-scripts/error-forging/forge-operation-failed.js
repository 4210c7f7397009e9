/*---
id = "forge-operation-failed"
title = "operation_failed forged by an AggregateError around a genuine one"
family = "error-forging"
threat = """
A false one blames the server for the script's own failure. The fake holds a genuine error in `errors` and `cause`,
and the reserved code on itself. It must be an ordinary uncaught exception.
"""
invariants = ["I6"]
flags = ["code-forgery"]
forges = "operation_failed"

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
throw Object.assign(new AggregateError([genuine], "The operation failed for a reason that is not the caller's to know.", { cause: genuine }), { code: 'operation_failed', operation: 'wit_list' });
