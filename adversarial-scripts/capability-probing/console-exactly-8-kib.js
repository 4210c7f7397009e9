/*---
id = "console-exactly-8-kib"
title = "Console output of exactly 8 KiB"
family = "capability-probing"
threat = """
The limit counts serialized JSON, quotes and the escaped line end included, and is inclusive: 8 188 characters, two
for the line end and two quotes are kept whole.
"""
invariants = ["I5"]
flags = ["console", "size-boundary"]
boundary = ["console_bytes/default/at"]

[expect]
value = '1'
console_truncated = false
---*/
console.log('x'.repeat(8188));
return 1;
