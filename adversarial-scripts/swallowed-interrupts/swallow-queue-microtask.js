/*---
id = "swallow-queue-microtask"
title = "Spinning in queueMicrotask"
family = "swallowed-interrupts"
threat = """
As with detached callbacks: the job loop must not forget that the interrupt fired.
"""
invariants = ["I5"]
flags = ["swallowed-interrupt", "promise-semantics"]
refs = [
  "rquickjs-core 0.14 context/async/future.rs",
]

[setup]
policy = { wall_ms = 300 }

[expect]
code = "deadline_exceeded"
max_ms = 3000
---*/
queueMicrotask(() => {
  for (;;);
});
await null;
await null;
return 'continued';
