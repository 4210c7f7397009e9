/*---
id = "async-stdout-pollution"
title = "Making an engine helper print"
family = "promises-and-microtasks"
threat = """
Some bindings report failed jobs with println!, and stdout is the worker's protocol channel. One printed line would
break the framing, or let a script write frames. Nothing but frames may come out.
"""
invariants = ["I11", "I6"]
flags = ["promise-semantics", "bridge-tampering"]
refs = [
  "rquickjs-core 0.14 runtime/async.rs:325 and value/promise.rs:74",
  "browser-tools-mcp#239",
  "espressif/esp-idf#19087",
]

[expect]
value = '"clean"'
---*/
Promise.resolve().then(() => {
  throw new Error('job');
});
Object.defineProperty(Object.prototype, 'then', {
  configurable: true,
  get() {
    return undefined;
  },
});
try {
  await codemode.wit.list({ snapshot_id: 's' });
} catch (e) {}
delete Object.prototype.then;
return 'clean';
