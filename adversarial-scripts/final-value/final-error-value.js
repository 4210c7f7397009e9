/*---
id = "final-error-value"
title = "An Error as a value is described, not lost"
family = "final-value"
threat = """
JSON.stringify writes {} for an Error. It becomes name and message, and a genuine host error keeps code and
operation, as data: it does not turn the success into a failure.
"""
invariants = ["I6", "I9"]
flags = ["genuine-error"]

[expect]
value = '[{"name": "TypeError", "message": "mine"}, "unknown_method", "codemode.wit.zz"]'
---*/
let genuine;
try {
  codemode.wit.zz;
} catch (e) {
  genuine = e;
}
const shown = JSON.parse(JSON.stringify({ code: genuine.code, operation: genuine.operation }));
return [new TypeError('mine'), shown.code, shown.operation];
