/*---
id = "swallow-promise-all-iterator"
title = "Spinning in the iterator of Promise.all"
family = "swallowed-interrupts"
threat = """
Promise.all turns any exception of the iterator, the interrupt included, into a rejection. Catching it must not let
the script go on to success after its budget.
"""
invariants = ["I5"]
flags = ["swallowed-interrupt", "promise-semantics"]
refs = [
  "vm2 'Promise.all static method stealing attack'",
]

[setup]
policy = { wall_ms = 300 }

[expect]
code = "deadline_exceeded"
max_ms = 3000
---*/
await Promise.all({
  [Symbol.iterator]() {
    for (;;);
  },
}).catch(() => 0);
return 'continued';
