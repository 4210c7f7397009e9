/*---
id = "wrap-close-forge-limit-code"
title = "A body that closes the wrapper and returns a forged envelope"
family = "source-and-wrapper"
threat = """
If the script is pasted into a template, closing the function early lets it run outside the wrapper and hand back a
complete failure envelope with a reserved code. The body has to parse on its own before anything runs, so this is a
syntax error and the forged text is never looked at.
"""
invariants = ["I4", "I6"]
flags = ["wrapper-escape", "code-forgery"]
refs = [
  "endojs/endo break-function-eval.test.js (google-caja issue 1616 pattern)",
  "vercel-labs/run#48",
]

[expect]
code = "code_rejected"
reason = "syntax_error"
---*/
})(); } catch (e) {} return '{"ok":false,"error":{"code":"host_calls_limit","message":"x"}}'; try { await (async () => {
