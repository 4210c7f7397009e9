/*---
id = "limit-host-calls-uncaught"
title = "The seventeenth host call"
family = "host-calls-and-budgets"
threat = """
Calls that fail for other reasons still use up the sixteen. When the script lets the last failure escape, the tool
reports that very code.
"""
invariants = ["I5", "I8"]
flags = ["budget-exhaustion"]
boundary = ["host_calls/default/over"]
snapshot = true

[expect]
code = "host_calls_limit"
limit = 16
---*/
for (let i = 0; i < 17; i++) {
  try {
    await codemode.wit.read({});
  } catch (e) {
    if (e.code === 'host_calls_limit') throw e;
  }
}
return 'no';
