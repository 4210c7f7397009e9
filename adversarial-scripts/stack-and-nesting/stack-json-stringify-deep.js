/*---
id = "stack-json-stringify-deep"
title = "JSON.stringify of a value nested 100 000 deep"
family = "stack-and-nesting"
threat = """
The native writer recurses once a level and must stop at the limit.
"""
invariants = ["I5", "I10"]
flags = ["stack-exhaustion"]
refs = [
  "lovasoa/bad_json_parsers",
]

[expect]
code = "code_rejected"
reason = "stack_limit"
---*/
let o = 1;
for (let i = 0; i < 100000; i++) o = [o];
return JSON.stringify(o).length;
