/*---
id = "uncaught-exception-envelope"
title = "An ordinary exception, uncaught"
family = "error-forging"
threat = """
The whole envelope of the commonest failure: the script's own message is its own affair and is passed on, bounded,
under code_rejected.
"""
invariants = ["I6"]
flags = ["code-forgery"]
snapshot = true

[expect]
code = "code_rejected"
reason = "uncaught_exception"
message = ["no such thing"]
---*/
const found = undefined;
if (!found) throw new TypeError('no such thing');
