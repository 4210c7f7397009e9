/*---
id = "final-cycle"
title = "A cyclic result"
family = "final-value"
threat = """
A cycle has no end to serialize. It must be found natively and refused, not run into the depth limit of the stack.
"""
invariants = ["I9"]
flags = ["non-json-value"]

[expect]
code = "code_rejected"
reason = "not_json"
---*/
const a = {};
a.b = [a];
return a;
