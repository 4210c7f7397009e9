/*---
id = "final-result-lowered-exact"
title = "The operator's smaller result, exactly full"
family = "final-value"
threat = """
A policy of a thousand bytes lets a thousand through, quotes included.
"""
invariants = ["I5", "I9", "I12"]
flags = ["operator-policy", "size-boundary"]
boundary = ["final_result_bytes/lowered/at"]

[setup]
policy = { final_result_bytes = 1000 }

[expect]
value_made = [{ prefix = "\"", repeat = "x", count = 998, suffix = "\"" }]
usage = { result_bytes = 1000 }
---*/
return 'x'.repeat(998);
