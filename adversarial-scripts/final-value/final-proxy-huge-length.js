/*---
id = "final-proxy-huge-length"
title = "A proxy array with 2^53 - 1 elements"
family = "final-value"
threat = """
The length is an honest number of the script's. Preallocating or looping over it natively would end the process or
the budget; the byte budget stops it early.
"""
invariants = ["I5", "I9"]
flags = ["reentrant-serialization", "size-boundary"]

[expect]
code = "final_result_bytes_limit"
any_of = [{ code = "code_rejected", reason = "not_json" }]
---*/
return new Proxy([], { get: (t, k) => (k === 'length' ? 2 ** 53 - 1 : k === 'toJSON' ? undefined : 0) });
