/*---
id = "spares-all-stopped"
title = "Three spares are stopped, then four calls come"
family = "process-lifecycle"
threat = """
Replacing one lost spare must not lead to the next lost one: each call gives up on at most one of them and then starts
a worker of its own.
"""
invariants = ["I1", "I10"]
flags = ["process-kill", "capacity", "stall"]

[setup]
policy = { spare_workers = 3 }
act = "stop_spare"

[expect]
value = '1'
max_ms = 3000

[[then]]
source = "return 2"
expect = { value = '2', max_ms = 3000 }

[[then]]
source = "return 3"
expect = { value = '3', max_ms = 3000 }

[[then]]
source = "return 4"
expect = { value = '4', max_ms = 3000 }
---*/
return 1;
