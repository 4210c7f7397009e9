/*---
id = "interrupt-stacktracelimit-valueof"
title = "Error.stackTraceLimit with a spinning conversion"
family = "swallowed-interrupts"
threat = """
Reading the limit while an error is built would run script code at a point where engines have crashed. The property
is ours no longer: setting it must have no effect.
"""
invariants = ["I4", "I5"]
flags = ["engine-hooks", "swallowed-interrupt"]
refs = [
  "quickjs-ng tests/bug858.js (stackTraceLimit conversions)",
  "assertion class of DelSkayn/rquickjs#663, bellard/quickjs#468 (CVE-2025-69654)",
]

[setup]
policy = { wall_ms = 300 }

[expect]
value = '"hook off"'
max_ms = 3000
any_of = [{ code = "deadline_exceeded" }]
---*/
let ran = false;
Error.stackTraceLimit = {
  valueOf() {
    ran = true;
    for (;;);
  },
};
try {
  null.x;
} catch (e) {}
Error.stackTraceLimit = 10;
return ran ? 'continued' : 'hook off';
