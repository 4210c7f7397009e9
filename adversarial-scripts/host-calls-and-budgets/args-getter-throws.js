/*---
id = "args-getter-throws"
title = "A getter in the arguments throws"
family = "host-calls-and-budgets"
threat = """
The script's own exception may come through as it is. It must not be dressed in a code of ours.
"""
invariants = ["I6"]
flags = ["argument-abuse", "code-forgery"]

[expect]
value = '["RangeError", "mine"]'
---*/
try {
  await codemode.wit.list({
    get snapshot_id() {
      throw new RangeError('mine');
    },
  });
} catch (e) {
  return [e.name, e.message];
}
