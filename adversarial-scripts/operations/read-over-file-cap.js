/*---
id = "read-over-file-cap"
title = "A file over the operator's cap is listed with its true size, and not read"
family = "operations"
threat = """
One huge file must neither fill the cache nor hide: it is listed with its size and id, says that it is not stored, and
reading it fails instead of giving a part of it, or nothing, as if that were the file. A search says that it was passed
over.
"""
invariants = ["I9", "I12"]
flags = ["repository-errors", "size-boundary"]

[setup]
arguments = ["--max-file-bytes", "59999"]

[expect]
value = '[60000, false, "not_text", "wit_read", 2, true]'
---*/
const { snapshot_id } = await codemode.wit.open({ repo: 'demo/fixture' });
const { items } = await codemode.wit.list({ snapshot_id, path: 'data' });
const big = items.find((item) => item.path === 'data/sixty-thousand.txt');
let read;
try {
  read = await codemode.wit.read({ snapshot_id, path: big.path });
} catch (error) {
  read = error;
}
const found = await codemode.wit.searchCode({ snapshot_id, queries: ['quick brown'] });
const small = await codemode.wit.read({ snapshot_id, path: 'docs/notes.md' });
return [big.size, big.stored, read.code, read.operation, found.skipped_unstored, small.text === 'One line.\n'];
