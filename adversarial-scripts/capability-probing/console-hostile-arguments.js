/*---
id = "console-hostile-arguments"
title = "Console arguments that throw, spin up proxies or pretend"
family = "capability-probing"
threat = """
Formatting a value runs script code. The console must neither throw into trusted code nor print what a getter of
ours would show.
"""
invariants = ["I4", "I6"]
flags = ["console", "hostile-error-object"]

[expect]
value = '"survived"'
---*/
const hostile = [
  { get a() { throw 1; } },
  { toString() { throw 2; }, toJSON() { throw 3; } },
  new Proxy({}, { get() { throw 4; }, ownKeys() { throw 5; } }),
  Symbol('s'),
  1n,
  () => 1,
  '\ud800',
];
for (const value of hostile) {
  try {
    console.log(value);
  } catch (e) {}
}
return 'survived';
