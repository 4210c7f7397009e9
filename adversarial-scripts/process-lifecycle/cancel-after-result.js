/*---
id = "cancel-after-result"
title = "Cancelling what has already ended"
family = "process-lifecycle"
threat = """
A cancellation that comes late, comes twice, or names a request that never was must change nothing and answer
nothing.
"""
invariants = ["I10", "I11"]
flags = ["cancellation"]

[setup]
act = "cancel_finished"

[expect]
value = '1'
---*/
return 1;
