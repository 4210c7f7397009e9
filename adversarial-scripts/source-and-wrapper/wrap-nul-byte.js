/*---
id = "wrap-nul-byte"
title = "A NUL character in the source"
family = "source-and-wrapper"
threat = """
The engine takes C strings, so a NUL could cut the source short and run another script than the one that was
checked. It is refused before the engine sees it, with the position named; it must neither truncate nor crash.
"""
invariants = ["I4"]
flags = ["source-form", "unicode"]
refs = [
  "rquickjs-core 0.14 Ctx::eval (CString)",
]
source = "return 'a\u0000b'.length"

[expect]
code = "code_rejected"
reason = "syntax_error"
---*/
