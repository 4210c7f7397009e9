/*---
id = "cursor-for-other-arguments"
title = "A genuine cursor with other arguments"
family = "operations"
threat = """
A cursor is bound to operation, snapshot and arguments. With another path, or in another operation, it must be
refused rather than give a page of something else.
"""
invariants = ["I6", "I8"]
flags = ["argument-abuse"]

[expect]
value = '["invalid_cursor", "invalid_cursor", true]'
---*/
const { snapshot_id } = await codemode.wit.open({ repo: 'demo/fixture' });
const first = await codemode.wit.list({ snapshot_id, depth: 5, max_items: 2 });
const attempt = async (call) => {
  try {
    await call();
    return 'accepted';
  } catch (e) {
    return e.code;
  }
};
return [
  await attempt(() => codemode.wit.list({ snapshot_id, depth: 5, max_items: 2, path: 'src', cursor: first.next_cursor })),
  await attempt(() => codemode.wit.searchCode({ snapshot_id, queries: ['a'], cursor: first.next_cursor })),
  (await codemode.wit.list({ snapshot_id, depth: 5, max_items: 2, cursor: first.next_cursor })).returned_items === 2,
];
