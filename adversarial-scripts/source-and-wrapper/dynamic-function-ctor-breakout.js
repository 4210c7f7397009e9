/*---
id = "dynamic-function-ctor-breakout"
title = "The engine's own AsyncFunction constructor does not parse the body alone"
family = "source-and-wrapper"
threat = """
AsyncFunction(body) joins parameters and body into one text, so a body can close itself and run code beside the
function. It documents why that constructor cannot be the wrapper: the global it sets shows that the engine accepts
the break-out. Nothing of ours is reached, so the run itself succeeds.
"""
invariants = ["I4"]
flags = ["wrapper-escape"]
refs = [
  "zig-utils/zig-js#946",
  "nginx/njs#921 and njs#922",
  "Moddable moddable#623",
  "higgsjs/Higgs#165",
]

[expect]
value = '"accepted:1"'
---*/
const AF = (async () => {}).constructor;
try { AF('}), (globalThis.ran = 1), (async function () {'); return 'accepted:' + globalThis.ran; } catch (e) { return e.name; }
