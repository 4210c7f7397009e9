/*---
id = "deadline-cannot-be-raised-by-script"
title = "A script tries to raise its own limits"
family = "unpolled-native-code"
threat = """
Nothing an invocation sends can move a limit: not globals, not properties of the namespace, not what help()
returned.
"""
invariants = ["I12"]
flags = ["operator-policy", "bridge-tampering"]

[setup]
policy = { wall_ms = 300 }

[expect]
code = "deadline_exceeded"
max_ms = 3000
---*/
globalThis.wall_ms = 60000;
try {
  codemode.limits = { wall_ms: 60000 };
} catch (e) {}
try {
  codemode.wit.help().limits.wall_ms = 60000;
} catch (e) {}
for (;;);
