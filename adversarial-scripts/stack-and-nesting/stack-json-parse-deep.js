/*---
id = "stack-json-parse-deep"
title = "JSON.parse of 100 000 brackets"
family = "stack-and-nesting"
threat = """
A recursive-descent parser in C overflows the real stack unless it counts. The script must fail with the stack
limit.
"""
invariants = ["I5", "I10"]
flags = ["stack-exhaustion", "parser-depth"]
refs = [
  "nst/JSONTestSuite n_structure_100000_opening_arrays",
  "nlohmann/json#577",
]

[expect]
code = "code_rejected"
reason = "stack_limit"
---*/
return JSON.parse('['.repeat(100000) + ']'.repeat(100000)).length;
