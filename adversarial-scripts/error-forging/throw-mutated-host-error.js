/*---
id = "throw-mutated-host-error"
title = "A genuine host error, altered and thrown again"
family = "error-forging"
threat = """
The identity of the error decides. Its code was issued by the parent in this invocation, and it stays what it was,
whatever the script wrote on the object.
"""
invariants = ["I6"]
flags = ["genuine-error", "code-forgery"]
refs = [
  "vercel-labs/run (genuine host errors privately tracked)",
]

[expect]
code = "invalid_arguments"
operation = "wit_read"
---*/
try {
  await codemode.wit.read({});
} catch (e) {
  try {
    e.code = 'cancelled';
  } catch (_) {}
  throw e;
}
