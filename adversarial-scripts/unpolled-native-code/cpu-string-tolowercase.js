/*---
id = "cpu-string-tolowercase"
title = "toLowerCase on a long text of special cases"
family = "unpolled-native-code"
threat = """
Each call walks a million characters with multi-character mappings in native code; looping it leaves few polls and
much time between them.
"""
invariants = ["I5", "I10"]
flags = ["busy-native-code", "unicode"]

[setup]
policy = { wall_ms = 300 }

[expect]
code = "deadline_exceeded"
max_ms = 3000
---*/
const s = '\u0130'.repeat(1e6);
for (;;) s.toLowerCase();
