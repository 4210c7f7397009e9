/*---
id = "cpu-rope-compare"
title = "Comparing two ropes that look huge"
family = "unpolled-native-code"
threat = """
Doubling makes 160 MB of text out of a few nodes; each comparison walks all of it natively. It costs neither heap
nor bytecode, only time.
"""
invariants = ["I5", "I10"]
flags = ["busy-native-code"]

[setup]
policy = { wall_ms = 300 }

[expect]
code = "deadline_exceeded"
max_ms = 3000
---*/
let s = 'a'.repeat(10000),
  t = 'a'.repeat(10000);
for (let i = 0; i < 14; i++) {
  s = s + s;
  t = t + t;
}
let n = 0;
for (;;) {
  if (s === t) n++;
}
