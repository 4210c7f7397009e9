/*---
id = "wit-mutate-namespace"
title = "Replacing the namespace, its methods and the binding"
family = "capability-probing"
threat = """
A script that replaces codemode.wit.list, or codemode itself, could feed later code with its own answers. Everything
is frozen and each attempt throws in strict code.
"""
invariants = ["I4"]
flags = ["bridge-tampering"]
refs = [
  "vercel-labs/run 'locks every privileged guest global binding'",
]

[expect]
value = '[["TypeError", "TypeError", "TypeError", "TypeError", "TypeError", "TypeError", "TypeError"], "function"]'
---*/
const t = [];
for (const f of [
  () => {
    codemode.wit.list = 1;
  },
  () => {
    codemode.wit = {};
  },
  () => {
    codemode = {};
  },
  () => {
    globalThis.codemode = {};
  },
  () => {
    delete globalThis.codemode;
  },
  () => Object.defineProperty(codemode.wit, 'list', { value: 1 }),
  () => Object.setPrototypeOf(codemode.wit, { zz: 1 }),
]) {
  try {
    f();
    t.push('ok');
  } catch (e) {
    t.push(e.name);
  }
}
return [t, typeof codemode.wit.list];
