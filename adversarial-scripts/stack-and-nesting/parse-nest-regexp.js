/*---
id = "parse-nest-regexp"
title = "Patterns nested a hundred thousand deep"
family = "stack-and-nesting"
threat = """
Groups, lookaheads and the set notation of the v flag each recurse in the pattern compiler, and a small pattern can
expand to two to the thousandth copies. All must throw.
"""
invariants = ["I5", "I10"]
flags = ["parser-depth", "stack-exhaustion"]
refs = [
  "bellard/quickjs#29",
  "espruino/Espruino#1487",
]

[expect]
value = 'true'
---*/
const r = [];
for (const f of [
  () => new RegExp('('.repeat(1e5) + ')'.repeat(1e5)),
  () => new RegExp('(?:'.repeat(1e5) + ')'.repeat(1e5)),
  () => new RegExp('(?='.repeat(1e5) + ')'.repeat(1e5)),
  () => new RegExp('['.repeat(1e5) + ']'.repeat(1e5), 'v'),
  () => new RegExp('(?:'.repeat(1000) + 'a' + '){2}'.repeat(1000)),
]) {
  try {
    f();
    r.push('ok');
  } catch (e) {
    r.push(e.name);
  }
}
return r.every((x) => x !== 'ok');
