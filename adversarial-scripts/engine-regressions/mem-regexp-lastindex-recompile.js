/*---
id = "mem-regexp-lastindex-recompile"
title = "Recompiling a pattern while it is matched"
family = "engine-regressions"
threat = """
The conversion of lastIndex replaces the bytecode that the matcher is about to run.
"""
invariants = ["I4", "I10"]
flags = ["engine-memory-safety"]
refs = [
  "class of quickjs libregexp CVEs",
]

[expect]
value = '"b"'
---*/
const r = /a/g;
r.lastIndex = {
  valueOf() {
    r.compile('(?:b)+', 'g');
    return 0;
  },
};
return String(r.exec('aab'));
