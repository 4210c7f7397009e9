/*---
id = "limit-invalid-then-pages"
title = "Invalid calls use up pages too"
family = "host-calls-and-budgets"
threat = """
Cost is reserved before anything is checked by the operation. Were invalid arguments free, a script could probe the
parent without end.
"""
invariants = ["I8"]
flags = ["budget-exhaustion", "argument-abuse"]
refs = [
  "pydantic/monty#736 (retry loop costs the parent)",
]

[expect]
value = '["invalid_arguments", "invalid_arguments", "invalid_arguments", "invalid_arguments", "invalid_arguments", "invalid_arguments", "invalid_arguments", "invalid_arguments", "pages_limit", "pages_limit", "pages_limit", "pages_limit", "pages_limit", "pages_limit", "pages_limit", "pages_limit", "host_calls_limit"]'
---*/
const c = [];
for (let i = 0; i < 17; i++) {
  try {
    await codemode.wit.read({});
    c.push('ok');
  } catch (e) {
    c.push(e.code);
  }
}
return c;
