/*---
id = "open-ref-injection"
title = "Refs in the shape of options and revisions"
family = "operations"
threat = """
Passed to a git program these would be options, commands or expressions. There is no program, and none of them
resolves.
"""
invariants = ["I4"]
flags = ["argument-abuse", "repository-errors"]

[setup]
policy = { snapshots = 4 }

[expect]
value = '["invalid_arguments,ref_not_found"]'
any_of = [{ value = '["ref_not_found"]' }, { value = '["invalid_arguments"]' }]
---*/
const codes = new Set();
for (const ref of ['--upload-pack=touch /tmp/pwned', '-c core.sshCommand=id', '$(id)', '../../HEAD']) {
  try {
    await codemode.wit.open({ repo: 'demo/fixture', ref });
    codes.add('opened ' + ref);
  } catch (e) {
    codes.add(e.code);
  }
}
return [[...codes].sort().join()];
