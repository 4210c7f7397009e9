/*---
id = "wrap-export-default"
title = "Module syntax in a script"
family = "source-and-wrapper"
threat = """
Evaluating the source as a module would give it a loader and another set of rules. Module syntax must be a syntax
error rather than a reason to switch the way the source is compiled.
"""
invariants = ["I4"]
flags = ["source-form", "module-loading"]
refs = [
  "cloudflare/agents normalize.test.ts",
]

[expect]
code = "code_rejected"
reason = "syntax_error"
---*/
export default async () => 1
