/*---
id = "wrap-strict-directive"
title = "A strict directive in the first statement"
family = "source-and-wrapper"
threat = """
If anything of ours stood before the body, the directive would no longer be first and would be ignored. The write to
an undeclared name must throw, which shows that the body begins where the script does.
"""
invariants = ["I4"]
flags = ["source-form"]

[expect]
value = '"ReferenceError"'
---*/
'use strict'; try { undeclared = 1; return 'sloppy'; } catch (e) { return e.name; }
