/*---
id = "poison-array-methods-help"
title = "Array methods replaced before help()"
family = "replaced-intrinsics"
threat = """
help() must not be built from script-visible array methods, or a script decides what a model reads about the tool.
The answer has to come from the registry.
"""
invariants = ["I4"]
flags = ["prototype-poisoning", "bridge-tampering"]
refs = [
  "vm2 category 8 note on Array.prototype.splice/push",
  "vercel-labs/run freeze tests",
]

[expect]
value = '"open"'
---*/
Array.prototype.find = () => ({ name: 'pwn' });
Array.prototype.map = () => [];
Array.prototype.sort = () => [];
return codemode.wit.help('open').name;
