/*---
id = "cpu-array-join-sparse"
title = "Joining an array of a billion holes"
family = "unpolled-native-code"
threat = """
The native join loop visits each hole without polling the interrupt. Only a kill from outside ends it, and the
verdict must still be the deadline, not a crash.
"""
invariants = ["I5", "I10"]
flags = ["busy-native-code"]
refs = [
  "justjake/quickjs-emscripten#219",
]

[setup]
policy = { wall_ms = 300 }

[expect]
code = "deadline_exceeded"
max_ms = 3000
---*/
return String(new Array(1e9)).length;
