/*---
id = "server-killed"
title = "The server is killed while a script runs"
family = "process-lifecycle"
threat = """
A dead parent must leave no worker behind, not even one that sits in a native loop and never looks at its pipe. The
kernel's parent-death signal sees to it.
"""
invariants = ["I10"]
flags = ["process-kill"]

[setup]
act = "kill_server"

[expect]
no_answer = true
---*/
return String(new Array(1e9)).length;
