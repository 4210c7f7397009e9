/*---
id = "swallow-prepare-stack-trace"
title = "Spinning inside Error.prepareStackTrace"
family = "swallowed-interrupts"
threat = """
The stack hook runs script code while an error is being built, where the interrupt is lost. The hook is removed, so
it must never run.
"""
invariants = ["I4", "I5"]
flags = ["engine-hooks", "swallowed-interrupt"]
refs = [
  "quickjs-ng tests/bug904.js (prepareStackTrace on error)",
  "vm2 category 19",
]

[setup]
policy = { wall_ms = 300 }

[expect]
value = '"hook off"'
max_ms = 3000
any_of = [{ code = "deadline_exceeded" }]
---*/
let ran = false;
Error.prepareStackTrace = () => {
  ran = true;
  for (;;);
};
try {
  null.x;
} catch (e) {}
return ran ? 'continued' : 'hook off';
