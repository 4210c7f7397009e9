/*---
id = "open-too-many-bytes"
title = "A repository with more bytes than the operator allows, twice, caught"
family = "operations"
threat = """
A repository that is refused must be refused each time at the same point: a half-written first attempt that a second
one took for whole would hand out a repository with files missing.
"""
invariants = ["I9", "I12"]
flags = ["repository-errors", "size-boundary"]

[setup]
arguments = ["--max-repository-bytes", "100KB"]

[expect]
value = '["repository_too_large", "wit_open", "repository_too_large", "wit_open"]'
---*/
const seen = [];
for (let attempt = 0; attempt < 2; attempt += 1) {
  try {
    await codemode.wit.open({ repo: 'demo/fixture' });
    seen.push('opened');
  } catch (error) {
    seen.push(error.code, error.operation);
  }
}
return seen;
