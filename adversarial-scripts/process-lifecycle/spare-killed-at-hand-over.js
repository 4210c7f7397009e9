/*---
id = "spare-killed-at-hand-over"
title = "The spare dies with the script in its pipe"
family = "process-lifecycle"
threat = """
The worst moment: the spare has been chosen and the script written, but it has read nothing when it is killed. The
script has provably not run, so another worker may have it. It must run exactly once.
"""
invariants = ["I1", "I10"]
flags = ["process-kill", "worker-death"]
refs = ["DESIGN §2: one invocation, one fresh process"]

[setup]
act = "kill_handed_over"

[expect]
value = '2'
max_ms = 3000
---*/
return 1 + 1;
