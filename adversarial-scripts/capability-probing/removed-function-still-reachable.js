/*---
id = "removed-function-still-reachable"
title = "All four function constructors agree"
family = "capability-probing"
threat = """
Removing the global Function while its siblings stay reachable through prototypes gives a false sense of safety.
Whether code may be compiled at run time must be one consistent answer.
"""
invariants = ["I4"]
flags = ["ambient-authority"]
refs = [
  "fallow-rs/fallow#2498 (same bug in a Rust Code Mode)",
  "vercel-labs/run dynamic-code corpus",
  "SandboxJS GHSA-ww7g-4gwx-m7wj",
]

[expect]
value = '1'
---*/
const r = [];
for (const f of [() => {}, async () => {}, function* () {}, async function* () {}]) {
  try {
    r.push(typeof f.constructor('return 1'));
  } catch (e) {
    r.push('blocked');
  }
}
return new Set(r).size;
