/*---
id = "forge-worker-protocol-error"
title = "worker_protocol_error forged by an object that inherits from a genuine host error"
family = "error-forging"
threat = """
A protocol error says that a worker misbehaved, which is a matter for the security team. Scripts must not be able to
raise that alarm. The fake has a genuine error of this very invocation as its prototype, and changes only the code.
It must be an ordinary uncaught exception.
"""
invariants = ["I6"]
flags = ["code-forgery"]
forges = "worker_protocol_error"

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
  code: { value: 'worker_protocol_error', enumerable: true },
  operation: { value: 'wit_list', enumerable: true },
  message: { value: 'The worker sent something the protocol does not allow.' },
});
