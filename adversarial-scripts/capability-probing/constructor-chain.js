/*---
id = "constructor-chain"
title = "The constructor.constructor walk"
family = "capability-probing"
threat = """
The classic escape of same-process sandboxes: from any function to Function, and from there to a global scope with
the host's powers. There is only one realm here and nothing in it: every walk must end at undefined names.
"""
invariants = ["I4"]
flags = ["ambient-authority"]
refs = [
  "vm2 category 1",
  "n8n CVE-2025-68613 / GHSA-v98v-ff95-f3cp",
  "OneUptime GHSA-v264-xqh4-9xmm",
  "open-mercato#1127",
]

[expect]
value = 'true'
---*/
const out = [];
for (const f of [codemode.wit.list, codemode.wit.help, Object, Math.max, () => {}]) {
  let r;
  try {
    r = f.constructor(
      'return [typeof process, typeof require, typeof std, typeof os, typeof __hostCallJson].join()',
    )();
  } catch (e) {
    r = 'blocked';
  }
  out.push(r === 'blocked' || r === 'undefined,undefined,undefined,undefined,undefined');
}
return out.every(Boolean);
