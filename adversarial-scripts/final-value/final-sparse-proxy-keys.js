/*---
id = "final-sparse-proxy-keys"
title = "A proxy object that invents keys without end"
family = "final-value"
threat = """
ownKeys may return any list. The list is bounded by the heap, and the text by the byte budget; whichever is first,
nothing is cut.
"""
invariants = ["I5", "I9"]
flags = ["reentrant-serialization", "size-boundary"]

[expect]
code = "final_result_bytes_limit"
---*/
const keys = Array.from({ length: 20000 }, (_, i) => 'key' + i);
return new Proxy({}, {
  ownKeys: () => keys,
  getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true, value: 1 }),
  get: (t, k) => (k === 'toJSON' ? undefined : 1),
});
