/*---
id = "spare-stopped"
title = "The idle spare is stopped (SIGSTOP), then a call comes"
family = "process-lifecycle"
threat = """
A stopped process does not die, so nothing tells the parent. The script lies in its pipe and nobody reads it. The
parent sees that not one byte was taken, replaces the worker, and the call succeeds: at once, not after its deadline.
"""
invariants = ["I1", "I10"]
flags = ["process-kill", "stall"]
refs = ["DESIGN §3: spares never make an invocation fail"]

[setup]
act = "stop_spare"

[expect]
value = '2'
max_ms = 3000
---*/
return 1 + 1;
