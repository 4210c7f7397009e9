/*---
id = "interrupt-forged-message"
title = "Throwing the engine's own interrupt text"
family = "swallowed-interrupts"
threat = """
An implementation that recognises the deadline by the engine's message is told lies by any script. The fact is kept
as a flag: text alone is an ordinary exception.
"""
invariants = ["I6"]
flags = ["code-forgery"]
refs = [
  "TanStack/ai isolate-driver.test.ts ('does not treat unrelated interrupted errors as timeouts')",
  "vercel-labs/run#48",
]

[expect]
code = "code_rejected"
reason = "uncaught_exception"
---*/
const e = new InternalError('interrupted');
throw e;
