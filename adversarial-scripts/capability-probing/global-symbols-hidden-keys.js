/*---
id = "global-symbols-hidden-keys"
title = "Hidden keys on the global object and on codemode"
family = "capability-probing"
threat = """
Internals kept under symbols or non-enumerable names are still there for Reflect.ownKeys. The global object has none
of ours, and codemode has exactly one key.
"""
invariants = ["I4"]
flags = ["bridge-tampering", "ambient-authority"]
refs = [
  "vm2 GHSA-2cm2-m3w5-gp2f",
]

[expect]
value = '0'
---*/
return (
  Reflect.ownKeys(globalThis).filter((k) => typeof k === 'symbol' && k !== Symbol.toStringTag).length +
  Reflect.ownKeys(codemode).filter((k) => k !== 'wit').length
);
