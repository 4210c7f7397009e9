/*---
id = "worker-stopped-with-call-pending"
title = "The worker is stopped while a host operation waits for the network"
family = "process-lifecycle"
threat = """
The script's clock stands while the operation runs, so a stopped worker is not late yet. When the operation has ended
the clock goes on, nobody takes the answer, and the watchdog ends it.
"""
invariants = ["I5", "I10"]
flags = ["process-kill", "stall", "abandoned-work"]
refs = ["DESIGN §3: the JavaScript clock"]

[setup]
policy = { wall_ms = 400, operation_ms = 600 }
act = "stop_waiting"
upstream = "hang"

[expect]
code = "deadline_exceeded"
limit = 400
max_ms = 2500
---*/
return await codemode.wit.open({ repo: 'slow/upstream' });
