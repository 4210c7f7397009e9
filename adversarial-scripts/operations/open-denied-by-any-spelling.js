/*---
id = "open-denied-by-any-spelling"
title = "A denied repository under other spellings"
family = "operations"
threat = """
Case, a trailing .git, a full URL, extra slashes and percent signs are ways to name the same repository to a server
and another to an allow list.
"""
invariants = ["I4"]
flags = ["repository-errors", "argument-abuse"]

[setup]
policy = { snapshots = 4 }
arguments = ["--allow", "demo/fixture"]
upstream = "hang"

[expect]
value = '["invalid_arguments,repository_denied"]'
max_ms = 3000
any_of = [{ value = '["repository_denied"]' }, { value = '["invalid_arguments"]' }]
---*/
const codes = new Set();
for (const repo of ['https://github.com/other/private.git', 'demo/fixture/../../other/private', 'OTHER/private', 'other%2fprivate']) {
  try {
    await codemode.wit.open({ repo });
    codes.add('opened ' + repo);
  } catch (e) {
    codes.add(e.code);
  }
}
return [[...codes].sort().join()];
