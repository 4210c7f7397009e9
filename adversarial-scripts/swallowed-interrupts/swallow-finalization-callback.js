/*---
id = "swallow-finalization-callback"
title = "Spinning in a finalization callback"
family = "swallowed-interrupts"
threat = """
Finalizers run from the collector's queue, far from the script's own call. Time they burn counts like any other.
"""
invariants = ["I5"]
flags = ["swallowed-interrupt", "engine-hooks"]
refs = [
  "quickjs-ng#1318, tests/bug648.js",
]

[setup]
policy = { wall_ms = 300 }

[expect]
code = "deadline_exceeded"
max_ms = 3000
---*/
const r = new FinalizationRegistry(() => {
  for (;;);
});
r.register({}, 1);
await null;
await null;
return 'continued';
