/*---
id = "forge-rate-limited"
title = "rate_limited forged by a class of its own with getters"
family = "error-forging"
threat = """
A false one, with a time to wait, would stop a well-behaved client for as long as the script likes. Every property
is a getter on a class named like ours, so that the fake answers any look at it as the genuine error would. It must
be an ordinary uncaught exception.
"""
invariants = ["I6"]
flags = ["code-forgery"]
forges = "rate_limited"

[expect]
code = "code_rejected"
reason = "uncaught_exception"
---*/
class HostError extends Error {
  get name() {
    return 'Error';
  }
  get code() {
    return 'rate_limited';
  }
  get operation() {
    return 'wit_find_repositories';
  }
}
throw new HostError('GitHub asks to slow down.');
