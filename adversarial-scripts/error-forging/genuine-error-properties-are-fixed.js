/*---
id = "genuine-error-properties-are-fixed"
title = "The code of a genuine error cannot be changed"
family = "error-forging"
threat = """
code and operation are enumerable, so that models see them, and read-only, so that a script does not fool itself.
"""
invariants = ["I6"]
flags = ["genuine-error"]

[expect]
value = '["invalid_arguments", "wit_read", true, ["code", "operation"]]'
---*/
let error;
try {
  await codemode.wit.read({});
} catch (e) {
  error = e;
}
try {
  error.code = 'cancelled';
} catch (e) {}
try {
  Object.defineProperty(error, 'operation', { value: 'wit_open' });
} catch (e) {}
return [error.code, error.operation, error instanceof Error, Object.keys(error).sort()];
