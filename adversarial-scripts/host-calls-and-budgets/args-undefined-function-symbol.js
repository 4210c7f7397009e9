/*---
id = "args-undefined-function-symbol"
title = "Arguments that have no JSON form"
family = "host-calls-and-budgets"
threat = """
A bad argument is the script's mistake and must be a rejected promise with code and operation. Throwing at once, or
ending the run, would make it uncatchable where models expect it.
"""
invariants = ["I4", "I5"]
flags = ["argument-abuse"]

[expect]
value = '["invalid_arguments,wit_open"]'
---*/
const out = [];
for (const v of [undefined, () => 1, Symbol('s')]) {
  try {
    await codemode.wit.open(v);
    out.push('ok');
  } catch (e) {
    out.push([e.code, e.operation].join());
  }
}
return [...new Set(out)];
