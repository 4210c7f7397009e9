/*---
id = "help-result-mutation"
title = "Changing what help() returned"
family = "replaced-intrinsics"
threat = """
If help() handed out the live registry, a script could raise a limit or hide a method by writing to it. Each call
must answer afresh, from data the script cannot reach.
"""
invariants = ["I4", "I12"]
flags = ["bridge-tampering", "operator-policy"]
refs = [
  "vercel-labs/run 'freezes builtins, binding proxies'",
]

[expect]
value = '[7, 49152]'
---*/
const h = codemode.wit.help();
try {
  h.limits.final_result_bytes = 1e9;
  h.methods.length = 0;
} catch (e) {}
const g = codemode.wit.help();
return [g.methods.length, g.limits.final_result_bytes];
