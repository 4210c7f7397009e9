/*---
id = "throw-hostile-getters"
title = "An exception whose every property throws"
family = "error-forging"
threat = """
Describing the exception runs script code that throws again. The description must give up, not the worker.
"""
invariants = ["I6"]
flags = ["hostile-error-object"]
refs = [
  "hmsk/quickjs.rb#103, PR #110",
  "vercel-labs/run 'bounds hostile properties'",
]

[expect]
code = "code_rejected"
reason = "uncaught_exception"
---*/
throw {
  get code() {
    throw 1;
  },
  get message() {
    throw 2;
  },
  toString() {
    throw 3;
  },
};
