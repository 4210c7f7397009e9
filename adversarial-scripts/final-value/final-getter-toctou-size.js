/*---
id = "final-getter-toctou-size"
title = "A getter that is small when measured and large when sent"
family = "final-value"
threat = """
Measuring first and serializing again gives a getter two chances. The result is read once, so what is measured is
what is sent.
"""
invariants = ["I9"]
flags = ["reentrant-serialization"]

[expect]
value = '{"a": 1}'
---*/
let n = 0;
return {
  get a() {
    return n++ ? 'x'.repeat(60000) : 1;
  },
};
