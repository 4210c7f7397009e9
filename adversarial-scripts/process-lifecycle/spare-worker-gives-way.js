/*---
id = "spare-worker-gives-way"
title = "An idle spare never makes an invocation fail"
family = "process-lifecycle"
threat = """
Spares count as workers. With one worker allowed and one spare kept, the next invocation must get its process.
"""
invariants = ["I1", "I10"]
flags = ["capacity"]
boundary = ["workers/lowered/at"]

[setup]
policy = { workers = 1, spare_workers = 1 }

[expect]
value = '1'

[[then]]
source = "return 2"
expect = { value = '2' }
---*/
return 1;
