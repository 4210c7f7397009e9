/*---
id = "open-too-many-files"
title = "A repository with more files than the operator allows"
family = "operations"
threat = """
Whoever names the repository chooses how much the server must store. The operator's cap ends it before anything is
written, says what was counted and what the cap is, and leaves nothing in the cache for a later call to trip over.
"""
invariants = ["I9", "I10", "I12"]
flags = ["repository-errors", "size-boundary"]
snapshot = true

[setup]
arguments = ["--max-repository-files", "5"]

[expect]
code = "repository_too_large"
operation = "wit_open"
---*/
return await codemode.wit.open({ repo: 'demo/fixture' });
