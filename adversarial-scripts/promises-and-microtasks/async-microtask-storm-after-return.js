/*---
id = "async-microtask-storm-after-return"
title = "An endless chain of jobs after the body has returned"
family = "promises-and-microtasks"
threat = """
The outcome is fixed when the body's promise settles. Draining all jobs first would turn a valid result into a
timeout, and let any script hold a worker for ten seconds.
"""
invariants = ["I5"]
flags = ["promise-semantics", "abandoned-work"]
refs = [
  "rquickjs-core 0.14 WithFuture::poll inner loop",
  "sebastianwessel/quickjs#65",
]

[expect]
value = '"returned"'
max_ms = 1000
---*/
(function f() {
  Promise.resolve().then(f);
})();
return 'returned';
