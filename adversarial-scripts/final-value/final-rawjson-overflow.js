/*---
id = "final-rawjson-overflow"
title = "JSON.rawJSON with a number that does not exist"
family = "final-value"
threat = """
rawJSON puts text into JSON unread: 1e400 is valid JSON, and no double. A parent that parses it strictly would call
it a protocol error and blame the worker.
"""
invariants = ["I6", "I9"]
flags = ["numeric-edge", "non-json-value"]
refs = [
  "tc39/proposal-json-parse-with-source#22",
]

[expect]
code = "code_rejected"
reason = "not_json"
any_of = [{ code = "code_rejected", reason = "uncaught_exception" }]
---*/
return { n: JSON.rawJSON('1e400') };
