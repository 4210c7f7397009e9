/*---
id = "swallow-detached-then-job"
title = "Spinning in a callback that nobody awaits"
family = "swallowed-interrupts"
threat = """
An exception in a detached job is dropped by the job loop. If that exception was the deadline, the script returns
success long after its budget.
"""
invariants = ["I5"]
flags = ["swallowed-interrupt", "promise-semantics"]
refs = [
  "LTplus-AG/ifc-lite#2063 (timeout inside a drained job reported as success)",
  "rquickjs async loop ignores job errors ('TODO figure out what to do with a job error')",
]

[setup]
policy = { wall_ms = 300 }

[expect]
code = "deadline_exceeded"
max_ms = 3000
---*/
Promise.resolve().then(() => {
  for (;;);
});
await null;
await null;
return 'continued';
