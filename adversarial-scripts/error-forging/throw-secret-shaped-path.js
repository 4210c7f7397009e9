/*---
id = "throw-secret-shaped-path"
title = "The text of a backend's failure"
family = "error-forging"
threat = """
Errors of the operating system name paths, and those of HTTP clients name URLs and headers. Nothing of it may enter
the script: a stable code and stable words only, in message and stack alike.
"""
invariants = ["I7"]
flags = ["information-leak"]
refs = [
  "vercel-labs/just-bash#394 (redact tool-originated host paths)",
]

[setup]
host = "mock"

[expect]
value = '["operation_failed", false]'
---*/
try {
  await codemode.wit.open({ repo: 'FAIL:/private/cache GITHUB_TOKEN=x' });
} catch (e) {
  return [e.code, /private|TOKEN/.test(e.message + e.stack)];
}
