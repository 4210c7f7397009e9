/*---
id = "ambient-global-inventory"
title = "Globals that a host usually lends"
family = "capability-probing"
threat = """
Timers, network, processes, modules and engine helpers are what escapes are made of, and names of a JavaScript
bridge are what forgeries are made of. None may exist as a global; the bounded local console is a binding beside the
script and no property of anything.
"""
invariants = ["I4"]
flags = ["ambient-authority"]
refs = [
  "vercel-labs/run 'exposes only the reviewed global surface'",
  "fallow#2498 (pinned global set)",
]

[expect]
value = '[]'
---*/
return [
  'process', 'require', 'module', 'Buffer', 'fetch', 'XMLHttpRequest', 'WebSocket', 'Worker', 'setTimeout',
  'setInterval', 'Deno', 'Bun', 'std', 'os', 'bjson', 'print', 'scriptArgs', 'gc', 'WebAssembly', 'ShadowRealm',
  'navigator', 'console', 'hostCall', '__hostCallJson', '__bridge', '__maxConcurrentHostCalls', '__validateFinal',
].filter((name) => name in globalThis);
