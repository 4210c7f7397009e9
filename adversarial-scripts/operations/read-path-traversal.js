/*---
id = "read-path-traversal"
title = "Paths that climb out of the repository"
family = "operations"
threat = """
Paths name entries of the pinned tree, never files of the machine. Parents, absolute paths, drive letters and NUL
must find nothing.
"""
invariants = ["I4"]
flags = ["argument-abuse", "repository-errors"]

[expect]
value = '["invalid_arguments,path_not_found"]'
any_of = [{ value = '["path_not_found"]' }, { value = '["invalid_arguments"]' }]
---*/
const { snapshot_id } = await codemode.wit.open({ repo: 'demo/fixture' });
const codes = new Set();
for (const path of ['../README.md', '/etc/passwd', 'src/../../etc/passwd', 'C:\\boot.ini', '.git/config', 'src/\u0000', './../..']) {
  try {
    await codemode.wit.read({ snapshot_id, path });
    codes.add('read ' + path);
  } catch (e) {
    codes.add(e.code);
  }
}
return [[...codes].sort().join()];
