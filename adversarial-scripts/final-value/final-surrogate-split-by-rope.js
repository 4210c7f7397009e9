/*---
id = "final-surrogate-split-by-rope"
title = "A surrogate pair split across two pieces of a string"
family = "final-value"
threat = """
Converting a rope piece by piece would see two lone halves in what is one valid character.
"""
invariants = ["I9"]
flags = ["unicode"]
refs = [
  "rquickjs changelog (JS_TAG_STRING_ROPE)",
  "quickjs-ng ropes",
]

[expect]
value = '"\ud83d\ude00"'
---*/
let s = '\ud83d';
s += '\ude00';
return s;
