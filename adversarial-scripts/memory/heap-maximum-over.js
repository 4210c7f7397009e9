/*---
id = "heap-maximum-over"
title = "Sixty-five megabytes do not fit the largest heap"
family = "memory"
threat = """
At the absolute maximum it must still be the engine's limit that refuses, with its reason, and not a death of the
process.
"""
invariants = ["I5", "I12"]
flags = ["heap-exhaustion", "operator-policy"]
boundary = ["heap_bytes/maximum/over"]

[setup]
policy = { heap_bytes = 67108864 }

[expect]
code = "code_rejected"
reason = "heap_limit"
limit = 67108864
---*/
return new Uint8Array(65 * 1024 * 1024).fill(1).length;
