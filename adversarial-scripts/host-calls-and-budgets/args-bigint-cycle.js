/*---
id = "args-bigint-cycle"
title = "BigInt and cyclic arguments"
family = "host-calls-and-budgets"
threat = """
Arguments are read by the same native pass as results, and must fail as arguments rather than as the engine's
exceptions.
"""
invariants = ["I5"]
flags = ["argument-abuse"]

[expect]
value = '["invalid_arguments", "invalid_arguments"]'
---*/
const o = {};
o.o = o;
const out = [];
for (const v of [{ repo: 1n }, o]) {
  try {
    await codemode.wit.open(v);
    out.push('ok');
  } catch (e) {
    out.push(e.code);
  }
}
return out;
