/*---
id = "stack-free-deep-structure"
title = "Dropping long chains of objects and closures"
family = "stack-and-nesting"
threat = """
Freeing a linked list recursively overflows the real stack at a time when no script is running to take the
exception. It must simply work.
"""
invariants = ["I10"]
flags = ["stack-exhaustion", "engine-memory-safety"]

[expect]
value = '"freed"'
---*/
let o = null;
for (let i = 0; i < 60000; i++) o = { o };
o = null;
let f = () => 1;
for (let i = 0; i < 20000; i++) {
  const g = f;
  f = () => g;
}
f = null;
return 'freed';
