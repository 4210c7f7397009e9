/*---
id = "mem-finalization-cycle"
title = "Registries that hold themselves"
family = "engine-regressions"
threat = """
Cycles through the finalization machinery have been freed twice by collectors.
"""
invariants = ["I4", "I10"]
flags = ["engine-memory-safety"]
refs = [
  "quickjs-ng/quickjs#1318, tests/bug1352.js",
]

[expect]
value = '"ok"'
---*/
for (let i = 0; i < 2000; i++) {
  let t = {};
  const f = new FinalizationRegistry(() => {});
  f.register(t, f);
  f.t = t;
  t.f = f;
}
return 'ok';
