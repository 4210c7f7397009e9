/*---
id = "console-is-local-and-bounded"
title = "The console writes to the result and nowhere else"
family = "capability-probing"
threat = """
Output of a script is data of the result. On stdout it would break the protocol, on stderr it would reach the
operator's log.
"""
invariants = ["I4", "I11"]
flags = ["console"]

[expect]
value = '"done"'
console_truncated = false
---*/
console.log('one', 2, { three: 3 });
console.error('four');
return 'done';
