/*---
id = "final-result-lowered"
title = "The operator's smaller final result"
family = "host-calls-and-budgets"
threat = """
The limit that counts is the policy's, and the failure gives that number.
"""
invariants = ["I5", "I12"]
flags = ["operator-policy", "size-boundary"]
boundary = ["final_result_bytes/lowered/over"]

[setup]
policy = { final_result_bytes = 1000 }

[expect]
code = "final_result_bytes_limit"
measured = 1001
limit = 1000
---*/
return 'x'.repeat(999);
