/*---
id = "stack-plain-recursion"
title = "Plain unbounded recursion"
family = "stack-and-nesting"
threat = """
The control case of the stack limit: it must be reported as such, and the real thread stack must never be reached.
"""
invariants = ["I5"]
flags = ["stack-exhaustion"]
boundary = ["stack_bytes/default/over"]
refs = [
  "quickjs-ng tests/bug775.js",
]
snapshot = true

[expect]
code = "code_rejected"
reason = "stack_limit"
---*/
function f() {
  return f() + 1;
}
return f();
