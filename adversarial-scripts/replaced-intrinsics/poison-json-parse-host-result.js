/*---
id = "poison-json-parse-host-result"
title = "JSON.parse replaced to see host replies"
family = "replaced-intrinsics"
threat = """
If replies came in through the script-visible JSON.parse, a script could read raw protocol text and replace what
later code sees. Host values are built natively, so the replacement must never be called.
"""
invariants = ["I4", "I6"]
flags = ["prototype-poisoning", "host-data"]
refs = [
  "vercel-labs/run#30 (capture and lock guest runtime intrinsics)",
]

[expect]
value = 'null'
---*/
let raw = null;
const parse = JSON.parse;
JSON.parse = (text) => {
  raw = text;
  return parse(text);
};
const { snapshot_id } = await codemode.wit.open({ repo: 'demo/fixture' });
await codemode.wit.list({ snapshot_id });
return raw;
