/*---
id = "next-run-is-clean"
title = "A polluted realm does not reach the next run"
family = "process-lifecycle"
threat = """
Prototypes and globals are changed, and the next script looks for them. A reused process, or a realm reset that
forgets one object, would show.
"""
invariants = ["I1"]
flags = ["state-carry-over"]

[expect]
value = '1'

[[then]]
source = "return [({}).x === undefined, typeof y]"
expect = { value = '[true, "undefined"]' }
---*/
Object.prototype.x = 1;
globalThis.y = 2;
return 1;
