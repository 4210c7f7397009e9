/*---
id = "final-exactly-49152"
title = "A result of exactly 48 KiB"
family = "final-value"
threat = """
The limit is inclusive and counts serialized JSON: 49 150 characters and two quotes.
"""
invariants = ["I5", "I9"]
flags = ["size-boundary"]
boundary = ["final_result_bytes/default/at"]

[expect]
value_made = [{ prefix = "\"", repeat = "x", count = 49150, suffix = "\"" }]
---*/
return 'x'.repeat(49150);
