/*---
id = "console-lowered-over"
title = "One byte more than the operator's smaller console"
family = "capability-probing"
threat = """
What does not fit is dropped, and a bit says so; the run goes on.
"""
invariants = ["I5", "I12"]
flags = ["console", "operator-policy", "size-boundary"]
boundary = ["console_bytes/lowered/over"]

[setup]
policy = { console_bytes = 100 }

[expect]
value = '1'
console_truncated = true
---*/
console.log('x'.repeat(97));
return 1;
