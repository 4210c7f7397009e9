/*---
id = "console-exactly-8-kib"
title = "Console output of exactly 8 KiB"
family = "capability-probing"
threat = """
The limit counts serialized JSON, the escaped line end included, and is inclusive: 8 190 characters and two for the
line end are kept whole.
"""
invariants = ["I5"]
flags = ["console", "size-boundary"]

[expect]
value = '1'
console_truncated = false
---*/
console.log('x'.repeat(8190));
return 1;
