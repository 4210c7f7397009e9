/*---
id = "oom-catchable-and-recover"
title = "Filling the heap, catching it, and going on"
family = "memory"
threat = """
Running out of memory is an exception that a script may catch. A script that lets go of its data afterwards must be
able to return normally.
"""
invariants = ["I5"]
flags = ["heap-exhaustion"]
refs = [
  "quickjs-emscripten#30",
  "hmsk/quickjs.rb#121",
]

[expect]
value = '"recovered"'
---*/
let h = [];
try {
  for (;;) h.push('x'.repeat(100000) + h.length);
} catch (e) {
  h = null;
}
return 'recovered';
