/*---
id = "wrap-static-import"
title = "A static import of the engine's system module"
family = "source-and-wrapper"
threat = """
QuickJS ships std and os modules with files, processes and sockets. A script must have no way to name them: no
module loader exists, and an import statement is a syntax error in a function body.
"""
invariants = ["I4"]
flags = ["module-loading"]
refs = [
  "quickjs-ng/quickjs quickjs-libc",
  "vm2 category 13",
]

[expect]
code = "code_rejected"
reason = "syntax_error"
---*/
import * as std from 'std'; return 1
