/*---
id = "genuine-error-from-another-call"
title = "A genuine host error that escapes later"
family = "error-forging"
threat = """
The very error of a call is kept, thrown after other work, and still reports its own code: identity does not wear
off.
"""
invariants = ["I6"]
flags = ["genuine-error"]

[expect]
code = "snapshot_not_found"
operation = "wit_list"
---*/
let kept;
try {
  await codemode.wit.list({ snapshot_id: 'never-issued' });
} catch (e) {
  kept = e;
}
await codemode.wit.open({ repo: 'demo/fixture' });
throw kept;
