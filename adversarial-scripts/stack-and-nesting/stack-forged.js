/*---
id = "stack-forged"
title = "Throwing the engine's own stack overflow text"
family = "stack-and-nesting"
threat = """
As with the heap: the words of the engine in a RangeError that the script made are an ordinary exception.
"""
invariants = ["I6"]
flags = ["code-forgery", "stack-exhaustion"]

[expect]
code = "code_rejected"
reason = "uncaught_exception"
---*/
throw new RangeError('Maximum call stack size exceeded');
