/*---
id = "read-odd-texts"
title = "CRLF, a missing last newline, an empty file, bytes that are not UTF-8"
family = "operations"
threat = """
Each has made readers miscount lines or refuse honest files. Lines keep their numbers, endings are kept in text, and
lossy decoding says so.
"""
invariants = ["I9"]
flags = ["repository-errors", "unicode"]

[expect]
value = '["one\r\ntwo\r\n", 2, "no newline", 1, "", 0, true]'
---*/
const { snapshot_id } = await codemode.wit.open({ repo: 'demo/fixture' });
const read = (path) => codemode.wit.read({ snapshot_id, path });
const crlf = await read('text/crlf.txt');
const open = await read('text/no-newline.txt');
const empty = await read('text/empty.txt');
const latin = await read('text/latin1.txt');
return [crlf.text, crlf.total_lines, open.text, open.total_lines, empty.text, empty.total_lines, latin.lossy === true];
