/*---
id = "read-symlink-and-submodule"
title = "Symbolic links are not followed, submodules not entered"
family = "operations"
threat = """
A link in a repository can point anywhere. It is an entry with a target, and reading it must not open what it points
to, least of all outside.
"""
invariants = ["I4"]
flags = ["repository-errors", "argument-abuse"]

[expect]
value = '["not_a_file", "not_a_file", "not_a_file"]'
---*/
const { snapshot_id } = await codemode.wit.open({ repo: 'demo/fixture' });
const codes = [];
for (const path of ['links/readme', 'links/passwd', 'vendor/lib']) {
  try {
    await codemode.wit.read({ snapshot_id, path });
    codes.push('read');
  } catch (e) {
    codes.push(e.code);
  }
}
return codes;
