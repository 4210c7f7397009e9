/*---
id = "final-getter-counts"
title = "Getters run once each, in order"
family = "final-value"
threat = """
A second pass over the value would be visible as a second count. One pass gives one call each.
"""
invariants = ["I9"]
flags = ["reentrant-serialization"]

[expect]
value = '{"a": 1, "b": 1}'
---*/
globalThis.n = 0;
return {
  get a() {
    return ++n;
  },
  get b() {
    return n;
  },
};
