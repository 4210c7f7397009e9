/*---
id = "open-last-error-is-private"
title = "What happened to an earlier caller is not told to a script"
family = "operations"
threat = """
A repository stays in the cache while its server fails. The cache remembers the failure for the operator: a script that
sees it learns whether others' calls reached the server, and whether the token they used was accepted. In Code Mode the
field is there and null, whatever happened.
"""
invariants = ["I7"]
flags = ["information-leak"]

[setup]
upstream = "fails_later"
policy = { snapshots = 3 }

[expect]
value = '["fresh", "upstream_unavailable", "stale", null]'
---*/
const repo = 'demo/remote';
const first = await codemode.wit.open({ repo });
let failed;
try {
  await codemode.wit.open({ repo, freshness: 'require_fresh' });
} catch (error) {
  failed = error.code;
}
const again = await codemode.wit.open({ repo });
return [first.cache.state, failed, again.cache.state, again.cache.last_error];
