/*---
id = "search-pattern-explosion"
title = "Patterns that explode in other engines"
family = "operations"
threat = """
Search is linear in time. Nested quantifiers must match as quickly as any pattern, and a pattern whose automaton
would be huge is refused by size.
"""
invariants = ["I5"]
flags = ["argument-abuse", "busy-native-code"]

[expect]
value = '["ok", "invalid_pattern"]'
max_ms = 5000
---*/
const { snapshot_id } = await codemode.wit.open({ repo: 'demo/fixture' });
const outcomes = [];
for (const pattern of ['^(a+)+$', '((a{1,1000}){1,1000}){1,1000}']) {
  try {
    await codemode.wit.searchCode({ snapshot_id, queries: [pattern] });
    outcomes.push('ok');
  } catch (e) {
    outcomes.push(e.code);
  }
}
return outcomes;
