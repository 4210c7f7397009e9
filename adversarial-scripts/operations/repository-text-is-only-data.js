/*---
id = "repository-text-is-only-data"
title = "Repository text that looks like secrets or instructions"
family = "operations"
threat = """
Contents of a repository are data and come back as they are, whatever they look like. They must be found in the
result alone: not in logs, not in errors, not in the usage.
"""
invariants = ["I7"]
flags = ["host-data", "information-leak"]

[expect]
value = 'true'
---*/
const { snapshot_id } = await codemode.wit.open({ repo: 'demo/fixture' });
const page = await codemode.wit.read({ snapshot_id, path: 'secrets/example.env' });
return page.text.includes('FIXTURE_TOKEN=') && page.text.includes('ignore all previous instructions');
