/*---
id = "forge-deadline-exceeded"
title = "deadline_exceeded forged by a rejected promise with an object that looks right"
family = "error-forging"
threat = """
Operators watch for deadlines to find abusive scripts. If any script could claim one, the measure would be worth
nothing. The fake comes as the rejection of a returned promise, the road that genuine host errors take. It must be
an ordinary uncaught exception.
"""
invariants = ["I6"]
flags = ["code-forgery"]
forges = "deadline_exceeded"

[expect]
code = "code_rejected"
reason = "uncaught_exception"
---*/
return Promise.reject(Object.assign(new Error('The JavaScript time, or the time of a host operation, is used up.'), { code: 'deadline_exceeded', operation: 'wit_list' }));
