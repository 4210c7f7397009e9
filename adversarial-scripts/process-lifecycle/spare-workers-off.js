/*---
id = "spare-workers-off"
title = "No worker kept ready"
family = "process-lifecycle"
threat = """
With spares turned off every invocation pays for its own process, and must work just the same.
"""
invariants = ["I1", "I10"]
flags = ["operator-policy", "capacity"]
boundary = ["spare_workers/lowered/at", "spare_workers/lowered/over"]

[setup]
policy = { spare_workers = 0 }

[expect]
value = '2'

[[then]]
source = "return 2 + 2"
expect = { value = '4' }
---*/
return 1 + 1;
