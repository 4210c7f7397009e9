/*---
id = "wrap-top-level-await-and-return"
title = "await and return at the top level of a script"
family = "source-and-wrapper"
threat = """
The script is the body of an async function, so both work without ceremony. An implementation that gets here only by
failing to parse first would report the wrong lines or run the text twice.
"""
invariants = ["I4"]
flags = ["source-form"]
refs = [
  "cloudflare/agents packages/codemode/src/normalize.ts (top-level return works only by falling into the parse-error branch)",
]

[expect]
value = '21'
---*/
const x = await Promise.resolve(20); return x + 1
