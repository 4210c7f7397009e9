/*---
id = "open-ref-not-found"
title = "A ref that the repository does not have"
family = "operations"
threat = """
Refs are names, never arguments of a program: options, ranges and reflog syntax are unknown refs and nothing else.
"""
invariants = ["I4", "I7"]
flags = ["argument-abuse", "repository-errors"]
snapshot = true

[expect]
code = "ref_not_found"
operation = "wit_open"
---*/
return await codemode.wit.open({ repo: 'demo/fixture', ref: 'no-such-branch' });
