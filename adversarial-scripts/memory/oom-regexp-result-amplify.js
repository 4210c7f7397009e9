/*---
id = "oom-regexp-result-amplify"
title = "Replacement patterns that multiply the text"
family = "memory"
threat = """
Each turn makes the text four times as long, natively. Length or heap has to stop it.
"""
invariants = ["I5"]
flags = ["heap-exhaustion"]

[expect]
code = "code_rejected"
reason = "heap_limit"
---*/
let s = 'aaaaaaaaaa';
for (let i = 0; i < 14; i++) s = s.replace(/.+/s, '$&$&$&$&');
return s.length;
