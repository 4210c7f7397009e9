/*---
id = "forge-server-workers-limit"
title = "server_workers_limit forged by a class of its own with getters"
family = "error-forging"
threat = """
Balancers move traffic away from a server that is full. A script must not be able to say so. Every property is a
getter on a class named like ours, so that the fake answers any look at it as the genuine error would. It must be an
ordinary uncaught exception.
"""
invariants = ["I6"]
flags = ["code-forgery"]
forges = "server_workers_limit"

[expect]
code = "code_rejected"
reason = "uncaught_exception"
---*/
class HostError extends Error {
  get name() {
    return 'Error';
  }
  get code() {
    return 'server_workers_limit';
  }
  get operation() {
    return 'wit_list';
  }
}
throw new HostError('All workers are busy.');
