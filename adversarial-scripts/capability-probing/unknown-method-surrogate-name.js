/*---
id = "unknown-method-surrogate-name"
title = "An unknown method with a lone surrogate in its name"
family = "capability-probing"
threat = """
The name goes into a JSON envelope, where an unpaired surrogate cannot stand. It must be replaced on the way, and
the failure stays unknown_method; a protocol error would blame the worker for the script's text.
"""
invariants = ["I6"]
flags = ["unicode", "discoverability"]
refs = [
  "serde-rs/json#827",
]

[expect]
code = "unknown_method"
---*/
codemode.wit['\ud800x'];
