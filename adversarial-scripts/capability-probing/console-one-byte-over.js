/*---
id = "console-one-byte-over"
title = "Console output one byte over 8 KiB"
family = "capability-probing"
threat = """
One character more and the output is dropped in part, with the truncation bit set. The run and its value are not
touched.
"""
invariants = ["I5"]
flags = ["console", "size-boundary"]
boundary = ["console_bytes/default/over"]

[expect]
value = '1'
console_truncated = true
---*/
console.log('x'.repeat(8189));
return 1;
