/*---
id = "console-flood-is-truncated"
title = "A flood of console output"
family = "capability-probing"
threat = """
Output beyond 8 KiB is dropped, a bit says so, and the run is not disturbed. Were it kept, printing would be a way
around the final result limit.
"""
invariants = ["I5", "I9"]
flags = ["console", "size-boundary"]

[expect]
value = '"done"'
console_truncated = true
---*/
for (let i = 0; i < 2000; i++) console.log('line ' + i + ' ' + 'x'.repeat(40));
return 'done';
