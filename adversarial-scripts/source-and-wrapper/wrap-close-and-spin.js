/*---
id = "wrap-close-and-spin"
title = "A break-out that spins while the program is being evaluated"
family = "source-and-wrapper"
threat = """
As wrap-close-and-throw, with an endless loop: were the program evaluated before its text is proved to be one body, the
loop would run outside the script's own function, and the invocation would end with the deadline. Nothing may run.
"""
invariants = ["I4", "I5"]
flags = ["wrapper-escape"]

[setup]
policy = { wall_ms = 300 }

[expect]
code = "code_rejected"
reason = "syntax_error"
---*/
} , (() => { for (;;); })(), async function () {
