/*---
id = "forge-cumulative-host-bytes-limit"
title = "cumulative_host_bytes_limit forged by an object that inherits from a genuine host error"
family = "error-forging"
threat = """
A false cumulative limit suggests that data was withheld that was never asked for. The fake has a genuine error of
this very invocation as its prototype, and changes only the code. It must be an ordinary uncaught exception.
"""
invariants = ["I6"]
flags = ["code-forgery"]
forges = "cumulative_host_bytes_limit"

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
  code: { value: 'cumulative_host_bytes_limit', enumerable: true },
  operation: { value: 'wit_read', enumerable: true },
  message: { value: 'The host results of this invocation together are larger than the limit.' },
});
