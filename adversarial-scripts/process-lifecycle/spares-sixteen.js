/*---
id = "spares-sixteen"
title = "Sixteen workers kept ready, all lost at once"
family = "process-lifecycle"
threat = """
The most an operator can ask for is kept, and not one more: the case begins when exactly sixteen are seen waiting. All
are stopped, and the calls still succeed.
"""
invariants = ["I1", "I5", "I10", "I12"]
flags = ["capacity", "operator-policy", "process-kill"]
boundary = ["spare_workers/maximum/at", "spare_workers/maximum/over"]

[setup]
policy = { workers = 16, spare_workers = 16 }
act = "stop_spare"

[expect]
value = '1'
max_ms = 5000

[[then]]
source = "return 2"
expect = { value = '2', max_ms = 5000 }
---*/
return 1;
