/*---
id = "forge-server-invocations-limit"
title = "server_invocations_limit forged by an object that inherits from a genuine host error"
family = "error-forging"
threat = """
As with workers: a false report of full slots would let one client push others away. The fake has a genuine error of
this very invocation as its prototype, and changes only the code. It must be an ordinary uncaught exception.
"""
invariants = ["I6"]
flags = ["code-forgery"]
forges = "server_invocations_limit"

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
throw Object.create(genuine, {
  code: { value: 'server_invocations_limit', enumerable: true },
  operation: { value: 'wit_list', enumerable: true },
  message: { value: 'All invocation slots are busy.' },
});
