/*---
id = "final-dropped-keys-unmeasured"
title = "A hundred thousand properties that JSON leaves out"
family = "final-value"
threat = """
Properties whose value is undefined are not part of the result. A serializer that measures their names all the same
reports a limit that was not exceeded, with a number that was never measured: a stable code without its fact.
"""
invariants = ["I6", "I9"]
flags = ["code-forgery"]

[expect]
value = "{}"
---*/
const dropped = {};
for (let i = 0; i < 110000; i++) dropped['k' + i.toString(36).padStart(5, '0')] = undefined;
return dropped;
