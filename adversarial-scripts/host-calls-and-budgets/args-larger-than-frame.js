/*---
id = "args-larger-than-frame"
title = "An argument larger than a frame"
family = "host-calls-and-budgets"
threat = """
80 000 bytes do not fit the frame. That is the script's mistake, to be caught and corrected; it must not become a
protocol error.
"""
invariants = ["I5"]
flags = ["argument-abuse", "size-boundary"]
refs = [
  "FairladyZ625/harness-anything#2602",
]

[expect]
value = '"invalid_arguments"'
---*/
try {
  await codemode.wit.list({ snapshot_id: 'x'.repeat(80000) });
  return 'ok';
} catch (e) {
  return e.code;
}
