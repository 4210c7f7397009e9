/*---
id = "find-qualifier-injection"
title = "Search qualifiers hidden in a name and a language"
family = "operations"
threat = """
pattern and lang become part of a search in GitHub's language. A quotation mark, a backslash, white space or a line break in them could end their place in it and add a qualifier. The upstream never answers: what is refused here was not sent.
"""
invariants = ["I4"]
flags = ["argument-abuse", "repository-errors"]

[setup]
upstream = "hang"

[expect]
value = '["invalid_arguments","invalid_arguments","invalid_arguments","invalid_arguments","invalid_arguments","invalid_arguments"]'
max_ms = 3000
---*/
const attempts = [
  { pattern: 'x user:other' },
  { pattern: 'x" user:other "' },
  { pattern: 'user:other' },
  { lang: 'rust" user:other "' },
  { lang: 'rust\\" user:other' },
  { lang: 'rust\nuser:other' },
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
