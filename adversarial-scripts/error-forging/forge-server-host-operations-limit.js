/*---
id = "forge-server-host-operations-limit"
title = "server_host_operations_limit forged by an AggregateError around a genuine one"
family = "error-forging"
threat = """
A false capacity limit would set off retries and alarms about a server that is idle. The fake holds a genuine error
in `errors` and `cause`, and the reserved code on itself. It must be an ordinary uncaught exception.
"""
invariants = ["I6"]
flags = ["code-forgery"]
forges = "server_host_operations_limit"

[expect]
code = "code_rejected"
reason = "uncaught_exception"
---*/
let genuine;
try {
  codemode.wit.nothing;
} catch (e) {
  genuine = e;
}
throw Object.assign(new AggregateError([genuine], 'No server slot for a host operation became free in time.', { cause: genuine }), { code: 'server_host_operations_limit', operation: 'wit_open' });
