/*---
id = "snapshot-handle-traversal"
title = "Snapshot handles that look like paths"
family = "operations"
threat = """
A handle that is joined to the cache directory could read any snapshot-shaped file, or be told from the error
whether a file exists. Each of these is simply unknown.
"""
invariants = ["I4", "I7"]
flags = ["argument-abuse", "repository-errors"]

[expect]
value = '["invalid_arguments,snapshot_not_found"]'
any_of = [{ value = '["snapshot_not_found"]' }, { value = '["invalid_arguments"]' }]
---*/
const codes = new Set();
for (const id of ['../../../etc/passwd', '/etc/passwd', 'a/../b', '..', '.', '\u0000', '%2e%2e%2f', 'x'.repeat(4000)]) {
  try {
    await codemode.wit.list({ snapshot_id: id });
    codes.add('listed');
  } catch (e) {
    codes.add(e.code);
  }
}
return [[...codes].sort().join()];
