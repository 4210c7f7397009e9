/*---
id = "final-tojson-host-call"
title = "A host call from within serialization"
family = "final-value"
threat = """
The body has returned, so nothing more may be dispatched: the call is refused or abandoned and no snapshot is
opened.
"""
invariants = ["I8"]
flags = ["reentrant-serialization", "abandoned-work"]
refs = [
  "vercel-labs/run detached-call tests",
]

[expect]
value = '1'
usage = { snapshots = 0 }
---*/
class A {
  toJSON() {
    codemode.wit.open({ repo: 'demo/fixture' });
    return 1;
  }
}
return new A();
