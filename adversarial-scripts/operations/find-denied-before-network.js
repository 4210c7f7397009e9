/*---
id = "find-denied-before-network"
title = "A search for what is outside the allow list"
family = "operations"
threat = """
The decision must fall before any network use: the upstream of this case never answers, so an answer at once shows that it was not asked. Every way to name an owner or a repository is tried.
"""
invariants = ["I4", "I8"]
flags = ["repository-errors", "operator-policy"]

[setup]
arguments = ["--allow", "acme/*"]
upstream = "hang"

[expect]
value = '["repository_denied","repository_denied","repository_denied","repository_denied","repository_denied"]'
max_ms = 3000
---*/
const attempts = [
  { pattern: 'other/private' },
  { query: 'user:other' },
  { query: 'rocket ORG:"Other"' },
  { query: 'user:acme repo:other/private' },
  { query: '(language:rust OR repo:other/private)' },
];
const codes = [];
for (const attempt of attempts) {
  try {
    codes.push(await codemode.wit.findRepositories(attempt));
  } catch (error) {
    codes.push(error.code);
  }
}
return codes;
