/*---
id = "unknown-method-suggestion"
title = "A method name that a model invents"
family = "capability-probing"
threat = """
Models guess names. The failure must carry the code, the full name that was tried, and the nearest method, so that
the next attempt succeeds without reading documents.
"""
invariants = ["I4"]
flags = ["discoverability"]
refs = [
  "cloudflare/agents anti-hallucination notes",
]

[expect]
value = '["unknown_method", "codemode.wit.searchRepositories", true]'
---*/
try {
  await codemode.wit.searchRepositories({ pattern: 'x' });
} catch (e) {
  return [e.code, e.operation, /findRepositories/.test(e.message)];
}
