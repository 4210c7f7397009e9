/*---
id = "cpu-plain-loop"
title = "A plain endless loop"
family = "unpolled-native-code"
threat = """
The control case of the deadline: bytecode that polls the interrupt. It must end at the budget with
deadline_exceeded.
"""
invariants = ["I5", "I10"]
flags = ["busy-native-code"]
boundary = ["wall_ms/lowered/over"]
refs = [
  "all",
  "quickjs-emscripten#149",
]
snapshot = true

[setup]
policy = { wall_ms = 300 }

[expect]
code = "deadline_exceeded"
max_ms = 3000
---*/
for (;;);
