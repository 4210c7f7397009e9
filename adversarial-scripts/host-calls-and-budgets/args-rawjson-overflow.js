/*---
id = "args-rawjson-overflow"
title = "A raw number that does not exist, as an argument"
family = "host-calls-and-budgets"
threat = """
1e400 is text that the parent's reader may refuse as a whole frame, which would end the run as a protocol error and
blame the worker. It must be one bad argument.
"""
invariants = ["I6"]
flags = ["argument-abuse", "numeric-edge"]

[expect]
value = '"invalid_arguments"'
---*/
const n = JSON.rawJSON ? JSON.rawJSON('1e400') : 1n;
try {
  await codemode.wit.list({ snapshot_id: 's', max_items: n });
  return 'ok';
} catch (e) {
  return e.code;
}
