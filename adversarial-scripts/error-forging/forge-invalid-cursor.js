/*---
id = "forge-invalid-cursor"
title = "invalid_cursor forged by a class of its own with getters"
family = "error-forging"
threat = """
A false one makes a client start its listing again from the first page. Every property is a getter on a class named
like ours, so that the fake answers any look at it as the genuine error would. It must be an ordinary uncaught
exception.
"""
invariants = ["I6"]
flags = ["code-forgery"]
forges = "invalid_cursor"

[expect]
code = "code_rejected"
reason = "uncaught_exception"
---*/
class HostError extends Error {
  get name() {
    return 'Error';
  }
  get code() {
    return 'invalid_cursor';
  }
  get operation() {
    return 'wit_list';
  }
}
throw new HostError('The cursor was not issued for this operation, snapshot and arguments.');
