/*---
id = "args-escape-inflation"
title = "An argument that doubles in size when escaped"
family = "host-calls-and-budgets"
threat = """
20 000 quotes are 40 KB of JSON. A protocol that nests JSON in a string escapes them again, past the frame limit;
values that cross as raw JSON do not grow.
"""
invariants = ["I5"]
flags = ["argument-abuse", "size-boundary"]

[expect]
value = '"invalid_arguments"'
---*/
try {
  await codemode.wit.list({ snapshot_id: '"'.repeat(20000) });
  return 'ok';
} catch (e) {
  return e.code;
}
