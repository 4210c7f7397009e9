/*---
id = "never-settles-with-settled-host-call"
title = "A dead promise after a host call was answered"
family = "promises-and-microtasks"
threat = """
The never-settles test must count calls in flight, not calls made: one that was answered no longer can settle
anything.
"""
invariants = ["I5"]
flags = ["promise-semantics"]

[expect]
code = "code_rejected"
reason = "never_settles"
max_ms = 2000
---*/
await codemode.wit.open({ repo: 'demo/fixture' });
await new Promise(() => {});
