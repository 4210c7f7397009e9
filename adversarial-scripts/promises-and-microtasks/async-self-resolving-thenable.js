/*---
id = "async-self-resolving-thenable"
title = "A thenable that resolves with itself"
family = "promises-and-microtasks"
threat = """
Assimilation goes on for ever, one job at a time. There is always a job pending, so only the budget ends it.
"""
invariants = ["I5"]
flags = ["promise-semantics"]
refs = [
  "tc39/test262#5123",
]

[setup]
policy = { wall_ms = 300 }

[expect]
code = "deadline_exceeded"
max_ms = 3000
---*/
const o = {
  then(r) {
    r(o);
  },
};
return o;
