/*---
id = "wrap-var-shadow-internal"
title = "Declaring variables over the names a wrapper would use"
family = "source-and-wrapper"
threat = """
A body may shadow any name in its own scope, including intrinsics. A wrapper in the same scope would then call the
script's values instead of its own helpers. Shadowing must have no effect on how the result is read.
"""
invariants = ["I4", "I6"]
flags = ["bridge-tampering"]
refs = [
  "vm2 test/vm.js 'transformer attack'",
  "cloudflare/agents packages/codemode executor reserved names",
]

[expect]
value = '"ok"'
---*/
var __validateFinal = 1, JSON = 2, Promise = 3; return 'ok'
