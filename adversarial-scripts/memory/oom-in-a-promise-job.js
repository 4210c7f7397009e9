/*---
id = "oom-in-a-promise-job"
title = "A heap that fills up while promises are settled"
family = "memory"
threat = """
The engine drops a job of its own for which it has no memory, and no exception says so: the awaited promise never
settles. Told that it awaits what nothing can settle, a model would mend the wrong thing; the allocator knows better.
"""
invariants = ["I6"]
flags = ["heap-exhaustion"]

[expect]
code = "code_rejected"
reason = "heap_limit"
---*/
let last = Promise.resolve(1);
for (let i = 0; i < 20000; i++) {
  const before = last;
  last = new Promise((resolve) => resolve(before));
}
return await last;
