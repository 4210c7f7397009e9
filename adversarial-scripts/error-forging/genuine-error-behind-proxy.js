/*---
id = "genuine-error-behind-proxy"
title = "A proxy around a genuine error"
family = "error-forging"
threat = """
The proxy answers every question as the genuine error would, save the ones it chooses to answer otherwise. It is
another object.
"""
invariants = ["I6"]
flags = ["code-forgery", "genuine-error"]

[expect]
code = "code_rejected"
reason = "uncaught_exception"
---*/
try {
  await codemode.wit.read({});
} catch (genuine) {
  throw new Proxy(genuine, { get: (t, k) => (k === 'code' ? 'cancelled' : Reflect.get(t, k)) });
}
