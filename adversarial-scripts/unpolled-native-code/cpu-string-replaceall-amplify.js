/*---
id = "cpu-string-replaceall-amplify"
title = "replaceAll that multiplies text two thousand times"
family = "unpolled-native-code"
threat = """
A short call builds forty megabytes of text. The heap limit must stop it before the time does, and the script must
be told so.
"""
invariants = ["I5"]
flags = ["heap-exhaustion"]
refs = [
  "SandboxJS#57",
]

[expect]
code = "code_rejected"
reason = "heap_limit"
---*/
return 'a'.repeat(20000).replaceAll('a', 'b'.repeat(2000)).length;
