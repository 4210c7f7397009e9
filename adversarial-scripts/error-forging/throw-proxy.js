/*---
id = "throw-proxy"
title = "A throwing proxy as the exception"
family = "error-forging"
threat = """
Each look at a proxy runs a trap, instanceof included. The worker must describe it without trusting any of them.
"""
invariants = ["I6"]
flags = ["hostile-error-object"]
refs = [
  "vm2 'proxy trap errors'",
]

[expect]
code = "code_rejected"
reason = "uncaught_exception"
---*/
throw new Proxy(
  {},
  {
    get() {
      throw 5;
    },
    getPrototypeOf() {
      throw 6;
    },
    ownKeys() {
      throw 7;
    },
  },
);
