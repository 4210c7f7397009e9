/*---
id = "unknown-method-huge-name"
title = "A method name of 30 000 characters"
family = "capability-probing"
threat = """
The suggestion's edit distance grows with the name, and the name would be repeated in the message. Sixty long names
must neither take seconds nor fill the answer.
"""
invariants = ["I5"]
flags = ["budget-exhaustion", "discoverability"]

[expect]
value = '[60, true]'
max_ms = 3000
---*/
const n = 'z'.repeat(30000);
let c = 0,
  max = 0;
for (let i = 0; i < 60; i++) {
  try {
    codemode.wit[n];
  } catch (e) {
    c++;
    max = Math.max(max, e.message.length);
  }
}
return [c, max < 1000];
