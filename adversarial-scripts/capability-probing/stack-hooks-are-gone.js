/*---
id = "stack-hooks-are-gone"
title = "None of the stack hooks of Error is left"
family = "capability-probing"
threat = """
The engine calls Error.prepareStackTrace with the functions on the stack while it builds an error, also when trusted
code builds one; captureStackTrace does so on demand, and stackTraceLimit is read at the same moment. All three are
removed, not hidden: no error has them, no class of error inherits them, and properties of these names that a script
makes itself are never read. Each way of making an error is tried, with hooks that only note that they ran.
"""
invariants = ["I4", "I6"]
flags = ["engine-hooks"]
refs = ["vm2 GHSA-v27g", "DESIGN §5: VM (stack hooks)"]

[expect]
value = '{"left": [], "ran": []}'
---*/
const names = ['prepareStackTrace', 'captureStackTrace', 'stackTraceLimit'];
const classes = [Error, TypeError, RangeError, InternalError, AggregateError];
const left = [];
for (const made of classes) {
  for (const name of names) {
    if (name in made) left.push(`${made.name}.${name}`);
  }
}
const ran = [];
const note = (name) => {
  if (!ran.includes(name)) ran.push(name);
};
for (const made of classes) {
  made.prepareStackTrace = (error, sites) => {
    note('prepareStackTrace');
    return sites;
  };
  made.stackTraceLimit = { valueOf: () => note('stackTraceLimit') };
}
const attempts = [
  () => null.x,
  () => {
    throw new Error('made by the script');
  },
  () => [].reduce(() => 1),
  () => 1n + 1,
  () => JSON.parse('{'),
  () => codemode.wit.noSuchMethod,
];
for (const attempt of attempts) {
  try {
    attempt();
  } catch (e) {
    String(e.stack);
  }
}
try {
  await codemode.wit.list('no object');
} catch (e) {
  String(e.stack);
}
return { left, ran };
