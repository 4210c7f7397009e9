/*---
id = "mem-async-dispose-zero-arg"
title = "A saved rejection handler called without an argument"
family = "engine-regressions"
threat = """
Native handlers that read their first argument without checking the count read whatever lies behind it on the stack.
"""
invariants = ["I4", "I10"]
flags = ["engine-memory-safety", "promise-semantics"]
refs = [
  "quickjs-ng/quickjs bug1661 (UAF in AsyncDisposableStack)",
]

[expect]
value = '"function"'
---*/
let sv;
const o = Promise.prototype.then;
Promise.prototype.then = function (f, r) {
  if (typeof r === 'function') sv = r;
  return Promise.resolve();
};
const s = new AsyncDisposableStack();
s.use(undefined);
s.defer(() => {});
s.disposeAsync();
try {
  sv && sv();
} catch (e) {}
Promise.prototype.then = o;
return typeof sv;
