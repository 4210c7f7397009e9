/*---
id = "args-nan-null"
title = "NaN as an argument"
family = "host-calls-and-budgets"
threat = """
JSON.stringify would send null, which an operation may take for absent and answer something else than was asked.
Non-finite numbers are refused as in results.
"""
invariants = ["I9"]
flags = ["argument-abuse", "numeric-edge"]

[expect]
value = '"invalid_arguments"'
---*/
try {
  await codemode.wit.list({ snapshot_id: 's', max_items: NaN });
  return 'ok';
} catch (e) {
  return e.code;
}
