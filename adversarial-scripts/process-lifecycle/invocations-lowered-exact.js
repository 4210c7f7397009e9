/*---
id = "invocations-lowered-exact"
title = "The one invocation that the operator allows"
family = "process-lifecycle"
threat = """
A limit of one is one at a time, and one after another without end.
"""
invariants = ["I5", "I10", "I12"]
flags = ["capacity", "operator-policy"]
boundary = ["invocations/lowered/at"]

[setup]
policy = { invocations = 1 }

[expect]
value = '1'

[[then]]
source = "return 2"
expect = { value = '2' }
---*/
return 1;
