/*---
id = "wrap-locals-invisible"
title = "Looking for the wrapper's variables by name"
family = "source-and-wrapper"
threat = """
Were the bridge written in JavaScript around the script, a direct eval could see its variables under names an
attacker can guess. The bridge is native: no such binding exists in any scope the script can reach.
"""
invariants = ["I4"]
flags = ["bridge-tampering", "ambient-authority"]
refs = [
  "vm2 GHSA-wp5r-2gw5-m7q7, GHSA-2cm2-m3w5-gp2f (internal state by name / computed key)",
]

[expect]
value = '[]'
---*/
const seen = [];
for (const n of ['__result','__validateFinal','__bridge','__hostOperation','__hostCallJson','__wit']) { try { if (eval('typeof ' + n) !== 'undefined') seen.push(n); } catch (e) { seen.push(n + ':' + e.name); } }
return seen
