/*---
id = "heap-forged"
title = "Throwing the engine's own out-of-memory text"
family = "memory"
threat = """
The heap limit is a fact of the allocator. The same class and words from a script are an ordinary exception.
"""
invariants = ["I6"]
flags = ["code-forgery", "heap-exhaustion"]

[expect]
code = "code_rejected"
reason = "uncaught_exception"
---*/
throw new InternalError('out of memory');
