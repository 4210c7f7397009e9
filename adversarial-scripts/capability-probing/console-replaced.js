/*---
id = "console-replaced"
title = "A replaced console is the script's own business"
family = "capability-probing"
threat = """
Some scripts declare a console of their own. That must work, and must not redirect anything of ours.
"""
invariants = ["I4"]
flags = ["console", "bridge-tampering"]

[expect]
value = '["mine"]'
---*/
const lines = [];
const console = { log: (line) => lines.push(line) };
console.log('mine');
return lines;
