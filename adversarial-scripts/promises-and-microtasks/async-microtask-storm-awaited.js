/*---
id = "async-microtask-storm-awaited"
title = "An endless chain of jobs while the body waits"
family = "promises-and-microtasks"
threat = """
The queue is never empty, so the never-settles test does not apply; draining it must be bounded by the clock and not
by its length.
"""
invariants = ["I5"]
flags = ["promise-semantics", "busy-native-code"]
refs = [
  "laverdet/isolated-vm tests/microtask-timeout.js",
  "DelSkayn/rquickjs#663",
]

[setup]
policy = { wall_ms = 300 }

[expect]
code = "deadline_exceeded"
max_ms = 3000
---*/
(function f() {
  Promise.resolve().then(f);
})();
await new Promise(() => {});
