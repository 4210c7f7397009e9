/*---
id = "final-8mb-string"
title = "A string of eight megabytes"
family = "final-value"
threat = """
It fits the heap, and its serialized copy need not. The size is judged before the text is built.
"""
invariants = ["I5", "I9"]
flags = ["size-boundary", "heap-exhaustion"]
refs = [
  "fallow#2498 (return value not covered by the cap)",
]

[expect]
code = "final_result_bytes_limit"
limit = 49152
---*/
return 'x'.repeat(8000000);
