/*---
id = "stack-just-under"
title = "Honest recursion fits"
family = "stack-and-nesting"
threat = """
The lower half of the stack boundary: a hundred frames of ordinary recursion must run at the default.
"""
invariants = ["I5"]
flags = ["stack-exhaustion"]

[expect]
value = '5050'
---*/
const sum = (n) => (n === 0 ? 0 : n + sum(n - 1));
return sum(100);
