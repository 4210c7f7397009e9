/*---
id = "spare-killed"
title = "The idle spare is killed, and the next call comes in the same moment"
family = "process-lifecycle"
threat = """
A worker kept ready is there to make calls faster. The kernel's memory killer or an operator may end it at any time;
a call must then be served by another worker, and not be told of the death of a process it never had anything to do
with.
"""
invariants = ["I1", "I10"]
flags = ["process-kill"]
boundary = ["spare_workers/default/at", "spare_workers/default/over"]
refs = ["DESIGN §3: spares never make an invocation fail"]

[setup]
act = "kill_spare"

[expect]
value = '2'
max_ms = 3000
---*/
return 1 + 1;
