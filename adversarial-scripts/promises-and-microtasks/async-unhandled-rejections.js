/*---
id = "async-unhandled-rejections"
title = "A thousand rejections that nobody handles"
family = "promises-and-microtasks"
threat = """
Trackers of unhandled rejections have ended host processes. Here they are the script's own business and change
nothing.
"""
invariants = ["I10"]
flags = ["promise-semantics"]
refs = [
  "vm2 GHSA-hw58-p9xv-2mjh (unhandled rejection kills host)",
]

[expect]
value = '"ok"'
---*/
for (let i = 0; i < 1000; i++) Promise.reject(new Error('x' + i));
return 'ok';
