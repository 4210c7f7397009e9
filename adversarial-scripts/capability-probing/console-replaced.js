/*---
id = "console-replaced"
title = "A replaced console is the script's own business"
family = "capability-probing"
threat = """
Some scripts define their own console. That must work, and must not redirect anything of ours.
"""
invariants = ["I4"]
flags = ["console", "bridge-tampering"]

[expect]
value = '["mine"]'
---*/
const lines = [];
globalThis.console = { log: (line) => lines.push(line) };
console.log('mine');
return lines;
