/*---
id = "final-nul-del-u2028"
title = "Control characters and line separators"
family = "final-value"
threat = """
NUL cuts C strings; U+2028 breaks line-based framing; DEL and ESC reach terminals. All must come through escaped and
intact.
"""
invariants = ["I9", "I11"]
flags = ["unicode"]
refs = [
  "nst/JSONTestSuite y_string_*",
  "cloudflare codemode changelog",
]

[expect]
value = '"a\u0000\u001f\u007f\u2028b"'
---*/
return 'a\u0000\u001f\u007f\u2028b';
