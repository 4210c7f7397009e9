/*---
id = "message-is-bounded"
title = "An exception with a megabyte of message"
family = "error-forging"
threat = """
The message of a failure travels outside the final result limit. Unbounded, throwing would be the way to send what
returning may not.
"""
invariants = ["I5", "I9"]
flags = ["size-boundary", "hostile-error-object"]

[expect]
code = "code_rejected"
reason = "uncaught_exception"
message_without = ["xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxENDOFTHEMESSAGE"]
---*/
throw new Error('x'.repeat(1024 * 1024) + 'ENDOFTHEMESSAGE');
