/*---
id = "args-deep-nesting"
title = "An argument nested two hundred deep"
family = "host-calls-and-budgets"
threat = """
Depth is the cheapest attack on a recursive reader. It is refused in the worker; the parent's own bound stands
behind it.
"""
invariants = ["I5"]
flags = ["argument-abuse"]
refs = [
  "JayceFayne/swayipc-rs#71",
  "bug-ops/mcp-execution#303",
  "ruma/ruma#507",
]

[expect]
value = '"invalid_arguments"'
---*/
let o = 1;
for (let i = 0; i < 200; i++) o = [o];
try {
  await codemode.wit.list({ snapshot_id: o });
  return 'ok';
} catch (e) {
  return e.code;
}
