/*---
id = "forge-upstream-unavailable"
title = "upstream_unavailable forged by an object that inherits from a genuine host error"
family = "error-forging"
threat = """
A false one reports an outage that does not exist. The fake has a genuine error of this very invocation as its
prototype, and changes only the code. It must be an ordinary uncaught exception.
"""
invariants = ["I6"]
flags = ["code-forgery"]
forges = "upstream_unavailable"

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
  code: { value: 'upstream_unavailable', enumerable: true },
  operation: { value: 'wit_open', enumerable: true },
  message: { value: "The repository's server cannot be reached or does not answer properly." },
});
