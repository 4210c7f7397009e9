/*---
id = "open-denied-before-network"
title = "A repository outside the allow list"
family = "operations"
threat = """
The decision must fall before any network use: the upstream of this case never answers, so an answer at once shows
that it was not asked.
"""
invariants = ["I4", "I8"]
flags = ["repository-errors", "operator-policy"]
snapshot = true

[setup]
arguments = ["--allow", "demo/fixture"]
upstream = "hang"

[expect]
code = "repository_denied"
operation = "wit_open"
max_ms = 3000
---*/
return await codemode.wit.open({ repo: 'other/private' });
