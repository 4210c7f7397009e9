/*---
id = "stack-caught-depth"
title = "Overflow caught, and the run goes on"
family = "stack-and-nesting"
threat = """
The overflow is an ordinary RangeError that a script may catch. More than fifty frames must fit, or honest recursion
would fail.
"""
invariants = ["I5"]
flags = ["stack-exhaustion"]
refs = [
  "fluttercandies/fjs#15",
  "bellard/quickjs#55",
  "rquickjs#611, #678",
]

[expect]
value = '["RangeError", true]'
---*/
let n = 0;
function f() {
  n++;
  f();
}
try {
  f();
} catch (e) {
  return [e.name, n > 50];
}
