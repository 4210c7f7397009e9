/*---
id = "oom-uninitialized-uncaught"
title = "Memory exhausted inside native normalisation, uncaught"
family = "memory"
threat = """
The decomposition of these characters is eighteen times as long and is built natively. The exception may be any
value, even the engine's internal one; it must be reported as the heap limit.
"""
invariants = ["I5"]
flags = ["heap-exhaustion", "unicode"]

[expect]
code = "code_rejected"
reason = "heap_limit"
---*/
return '\ufdfa'.repeat(400000).normalize('NFKD').length;
