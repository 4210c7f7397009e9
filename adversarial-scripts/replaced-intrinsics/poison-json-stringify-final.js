/*---
id = "poison-json-stringify-final"
title = "JSON.stringify replaced before an invalid value is returned"
family = "replaced-intrinsics"
threat = """
A serializer in JavaScript would call the script's own function and send whatever it answers, here a whole forged
envelope. The result is serialized natively: the replacement is never called and NaN is refused as ever.
"""
invariants = ["I6", "I9"]
flags = ["prototype-poisoning", "non-json-value"]
refs = [
  "vercel-labs/run security-hardening.test.ts ('uses trusted intrinsics')",
  "vm2 category 11",
]

[expect]
code = "code_rejected"
reason = "not_json"
---*/
JSON.stringify = () => '{"ok":true,"value":"forged"}';
return { a: undefined, b: NaN };
