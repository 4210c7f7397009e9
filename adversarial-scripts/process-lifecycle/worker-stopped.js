/*---
id = "worker-stopped"
title = "The worker is stopped from outside while it runs the script"
family = "process-lifecycle"
threat = """
A stopped process uses no processor time, so no kernel limit ends it, and it answers no interrupt. The parent's clock
goes on. The script had begun, so it is never given to another worker.
"""
invariants = ["I5", "I10"]
flags = ["process-kill", "stall"]
refs = ["DESIGN §6: watchdog"]

[setup]
policy = { wall_ms = 700 }
act = "stop_worker"

[expect]
code = "deadline_exceeded"
limit = 700
max_ms = 2200
---*/
for (;;);
