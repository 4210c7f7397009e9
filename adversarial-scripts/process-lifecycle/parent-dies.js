/*---
id = "parent-dies"
title = "The client goes away while a script runs"
family = "process-lifecycle"
threat = """
End of input ends the server promptly, and with it every worker, busy or not. Otherwise each closed editor leaves a
process behind.
"""
invariants = ["I10"]
flags = ["process-kill"]

[setup]
act = "close_stdin"

[expect]
no_answer = true
any_of = [{ code = "cancelled" }]
---*/
for (;;);
