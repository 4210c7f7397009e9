/*---
id = "cpu-locale-compare"
title = "localeCompare, which normalises both sides"
family = "unpolled-native-code"
threat = """
Unicode normalisation of long strings runs natively on every call. The interrupt is polled only between calls.
"""
invariants = ["I5", "I10"]
flags = ["busy-native-code", "unicode"]

[setup]
policy = { wall_ms = 300 }

[expect]
code = "deadline_exceeded"
max_ms = 3000
---*/
const s = '\u1e9b\u0323'.repeat(1e5);
for (;;) s.localeCompare(s + 'a');
