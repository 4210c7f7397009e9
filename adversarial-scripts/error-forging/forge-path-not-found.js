/*---
id = "forge-path-not-found"
title = "path_not_found forged by an object that inherits from a genuine host error"
family = "error-forging"
threat = """
A false one lets a script deny that a file exists, in the server's own words. The fake has a genuine error of this
very invocation as its prototype, and changes only the code. It must be an ordinary uncaught exception.
"""
invariants = ["I6"]
flags = ["code-forgery"]
forges = "path_not_found"

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
  code: { value: 'path_not_found', enumerable: true },
  operation: { value: 'wit_read', enumerable: true },
  message: { value: 'The snapshot has no such path.' },
});
