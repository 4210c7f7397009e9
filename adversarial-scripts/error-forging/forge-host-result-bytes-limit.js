/*---
id = "forge-host-result-bytes-limit"
title = "host_result_bytes_limit forged by a class of its own with getters"
family = "error-forging"
threat = """
A false result limit suggests that a file is larger than it is. Every property is a getter on a class named like
ours, so that the fake answers any look at it as the genuine error would. It must be an ordinary uncaught exception.
"""
invariants = ["I6"]
flags = ["code-forgery"]
forges = "host_result_bytes_limit"

[expect]
code = "code_rejected"
reason = "uncaught_exception"
---*/
class HostError extends Error {
  get name() {
    return 'Error';
  }
  get code() {
    return 'host_result_bytes_limit';
  }
  get operation() {
    return 'wit_read';
  }
}
throw new HostError('One host result is larger than the limit; its value was withheld.');
