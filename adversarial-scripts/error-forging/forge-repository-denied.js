/*---
id = "forge-repository-denied"
title = "repository_denied forged by an AggregateError around a genuine one"
family = "error-forging"
threat = """
A false denial tells users that the operator forbids what is allowed. The fake holds a genuine error in `errors` and
`cause`, and the reserved code on itself. It must be an ordinary uncaught exception.
"""
invariants = ["I6"]
flags = ["code-forgery"]
forges = "repository_denied"

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
throw Object.assign(new AggregateError([genuine], "The repository is outside the operator's allow list.", { cause: genuine }), { code: 'repository_denied', operation: 'wit_open' });
