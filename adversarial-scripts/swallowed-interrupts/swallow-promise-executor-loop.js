/*---
id = "swallow-promise-executor-loop"
title = "The interrupt swallowed by promise executors, for ever"
family = "swallowed-interrupts"
threat = """
A promise executor turns the engine's uncatchable interrupt into an ordinary rejection that the script catches, and
the loop begins again. The passed deadline must be remembered outside the engine.
"""
invariants = ["I5"]
flags = ["swallowed-interrupt"]
refs = [
  "quickjs-emscripten#211",
  "reearth/quickjs-emscripten-sync#42",
]

[setup]
policy = { wall_ms = 300 }

[expect]
code = "deadline_exceeded"
max_ms = 3000
---*/
for (;;)
  await new Promise(() => {
    for (;;);
  }).catch(() => 0);
