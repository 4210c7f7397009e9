/*---
id = "cpu-native-loop-beside-host-call"
title = "A native loop while a host call is outstanding"
family = "unpolled-native-code"
threat = """
The parent's clock stands while a host operation is outstanding, and the engine polls nothing inside a quadratic string
search: neither of the two ends this script. The kernel's CPU limit does, and the verdict must be the deadline it stands
for, not a crash.
"""
invariants = ["I5", "I10"]
flags = ["busy-native-code"]

[setup]
policy = { wall_ms = 500 }
upstream = "hang"

[expect]
code = "deadline_exceeded"
max_ms = 15000
---*/
codemode.wit.open({ repo: 'slow/upstream' }).catch(() => {});
await null;
await null;
return 'a'.repeat(4e6).indexOf('a'.repeat(2e6) + 'b');
