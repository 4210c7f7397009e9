/*---
id = "args-array-string-null"
title = "Arguments that are not an object, to every method"
family = "host-calls-and-budgets"
threat = """
null, arrays, strings and numbers must each be refused; none may be taken for an empty object and answered.
"""
invariants = ["I4"]
flags = ["argument-abuse"]

[expect]
value = 'false'
---*/
const out = new Set();
for (const m of ['open', 'list', 'read', 'refs', 'searchCode', 'context'])
  for (const v of [null, [], 'x', 3, true]) {
    try {
      await codemode.wit[m](v);
      out.add('ok');
    } catch (e) {
      out.add(e.code);
      if (e.code === 'host_calls_limit' || e.code === 'pages_limit' || e.code === 'snapshots_limit')
        return [...out].includes('ok');
    }
  }
return [...out].includes('ok');
