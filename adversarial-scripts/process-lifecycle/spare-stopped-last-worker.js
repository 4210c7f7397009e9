/*---
id = "spare-stopped-last-worker"
title = "The only worker the policy allows is a stopped spare"
family = "process-lifecycle"
threat = """
With one worker allowed, the stopped spare holds the one place there is. It is killed before another takes the
script, and the call must neither fail for capacity nor leave two processes.
"""
invariants = ["I1", "I5", "I10"]
flags = ["process-kill", "capacity", "stall"]

[setup]
policy = { workers = 1, spare_workers = 1 }
act = "stop_spare"

[expect]
value = '1'
max_ms = 3000

[[then]]
source = "return 2"
expect = { value = '2', max_ms = 3000 }
---*/
return 1;
