/*---
id = "final-wide-proxies-nested"
title = "Sixty levels of a proxy over a hundred thousand keys"
family = "final-value"
threat = """
A serializer that lists the keys of an object before it writes the first holds the lists of all outer levels while it
goes down. A cheap proxy gives the same wide target on each level, so that what the serializer keeps of its own, outside
the script's heap, could exhaust the process's address space: a pure script would then crash the worker. Key lists have to
count against the script's heap.
"""
invariants = ["I5", "I9"]
flags = ["heap-exhaustion"]

[expect]
code = "code_rejected"
reason = "heap_limit"
any_of = [{ code = "final_result_bytes_limit" }, { code = "deadline_exceeded" }]
max_ms = 11000
---*/
const wide = {};
for (let i = 0; i < 100000; i++) wide['k' + i.toString(36)] = 1;
const level = (depth) =>
  new Proxy(wide, {
    get: (target, key) => (key === 'toJSON' ? undefined : key === 'k0' && depth > 0 ? level(depth - 1) : 1),
  });
return level(60);
