/*---
id = "final-exotic-objects"
title = "Map, Set and a pattern in the result"
family = "final-value"
threat = """
JSON.stringify writes {} for them, and the data is gone without a word. They are refused, with the place and a hint.
"""
invariants = ["I9"]
flags = ["non-json-value"]
refs = [
  "quickjs-emscripten dump",
  "vercel-labs/run rich codec",
]

[expect]
code = "code_rejected"
reason = "not_json"
---*/
return [new Map([[1, 2]]), new Set([1]), /x/, new Error('e')];
