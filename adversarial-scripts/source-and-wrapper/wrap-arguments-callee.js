/*---
id = "wrap-arguments-callee"
title = "Reaching the caller through arguments and function properties"
family = "source-and-wrapper"
threat = """
In sloppy code, `caller` and `arguments.callee` lead up the stack into whoever called the script. From there an
attacker would hold functions of trusted code. Strict mode must make both throw, and the body's own arguments must
be empty.
"""
invariants = ["I4"]
flags = ["wrapper-escape", "bridge-tampering"]
refs = [
  "nyariv/SandboxJS security.data.ts (caller)",
  "vm2 ATTACKS.md category 5",
]

[expect]
value = '[true, "TypeError"]'
---*/
function f() { try { return String(f.caller); } catch (e) { return e.name; } }
return [typeof arguments === 'undefined' || arguments.length === 0, f()]
