/*---
id = "parse-nest-eval"
title = "Deep source that only eval sees"
family = "stack-and-nesting"
threat = """
The source limit bounds what we are sent, not what a script can build. Parsing a million parentheses inside eval
must throw like any overflow.
"""
invariants = ["I5", "I10"]
flags = ["parser-depth", "stack-exhaustion"]
refs = [
  "laverdet/isolated-vm tests/parser-overflow.js",
]

[expect]
value = '"RangeError"'
any_of = [{ value = '"SyntaxError"' }]
---*/
try {
  (0, eval)('('.repeat(1e6));
  return 'parsed';
} catch (e) {
  return e.name;
}
