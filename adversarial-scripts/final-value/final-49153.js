/*---
id = "final-49153"
title = "A result one byte over 48 KiB"
family = "final-value"
threat = """
Refused whole, never cut. The failure gives the size and the limit, and advises fewer fields.
"""
invariants = ["I5", "I9", "I12"]
flags = ["size-boundary"]
boundary = ["final_result_bytes/default/over"]
snapshot = true

[expect]
code = "final_result_bytes_limit"
measured = 49153
limit = 49152
---*/
return 'x'.repeat(49151);
