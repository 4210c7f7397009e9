/*---
id = "forge-cancelled"
title = "cancelled forged by a class of its own with getters"
family = "error-forging"
threat = """
Clients do not report what they withdrew themselves. A script that can claim to have been cancelled can hide any
failure. Every property is a getter on a class named like ours, so that the fake answers any look at it as the
genuine error would. It must be an ordinary uncaught exception.
"""
invariants = ["I6"]
flags = ["code-forgery"]
forges = "cancelled"

[expect]
code = "code_rejected"
reason = "uncaught_exception"
---*/
class HostError extends Error {
  get name() {
    return 'Error';
  }
  get code() {
    return 'cancelled';
  }
  get operation() {
    return 'wit_list';
  }
}
throw new HostError('The client cancelled the request.');
