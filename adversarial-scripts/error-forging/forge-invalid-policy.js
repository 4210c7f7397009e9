/*---
id = "forge-invalid-policy"
title = "invalid_policy forged by an AggregateError around a genuine one"
family = "error-forging"
threat = """
It stops a server at start and is never the answer to a call. A client that saw it would believe the operator had
made a mistake. The fake holds a genuine error in `errors` and `cause`, and the reserved code on itself. It must be
an ordinary uncaught exception.
"""
invariants = ["I6"]
flags = ["code-forgery"]
forges = "invalid_policy"

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
throw Object.assign(new AggregateError([genuine], "The operator's policy is outside what is allowed.", { cause: genuine }), { code: 'invalid_policy', operation: 'wit_list' });
