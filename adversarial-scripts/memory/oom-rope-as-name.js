/*---
id = "oom-rope-as-name"
title = "A rope of 128 MiB as a method's name"
family = "memory"
threat = """
Repeated concatenation gives a rope that looks enormous and takes next to nothing. Trusted code that turns a name into
text to report it would flatten the rope outside the script's heap limit, and use eight times what the operator allows.
"""
invariants = ["I5"]
flags = ["heap-exhaustion"]

[expect]
value = '"unknown_method"'
---*/
let name = 'x';
for (let i = 0; i < 27; i++) name += name;
try {
  codemode.wit.help(name);
  return 'no error';
} catch (error) {
  return error && error.code;
}
