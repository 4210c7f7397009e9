/*---
id = "final-proxy-lying-length"
title = "A proxy array whose length grows between reads"
family = "final-value"
threat = """
Reading the length twice would let a million elements in after the check. One read fixes it; a partly padded array
must never come out.
"""
invariants = ["I9"]
flags = ["reentrant-serialization"]
refs = [
  "vm2 category 15",
]

[expect]
value = '[1, 2]'
any_of = [{ code = "code_rejected", reason = "not_json" }]
---*/
let n = 0;
return new Proxy([1, 2], {
  get(t, k, r) {
    return k === 'length' ? (n++ < 1 ? 2 : 1e6) : Reflect.get(t, k, r);
  },
});
