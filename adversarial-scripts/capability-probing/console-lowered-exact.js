/*---
id = "console-lowered-exact"
title = "The operator's smaller console, exactly full"
family = "capability-probing"
threat = """
A hundred bytes of serialized text: ninety-six characters, the end of the line as two, and the quotes.
"""
invariants = ["I5", "I12"]
flags = ["console", "operator-policy", "size-boundary"]
boundary = ["console_bytes/lowered/at"]

[setup]
policy = { console_bytes = 100 }

[expect]
value = '1'
console_truncated = false
---*/
console.log('x'.repeat(96));
return 1;
