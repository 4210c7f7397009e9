/*---
id = "final-tojson-nan-function"
title = "toJSON that yields NaN"
family = "final-value"
threat = """
What toJSON returns must pass the same checks as a value that was there from the start.
"""
invariants = ["I9"]
flags = ["non-json-value", "reentrant-serialization"]

[expect]
code = "code_rejected"
reason = "not_json"
---*/
class A {
  toJSON() {
    return NaN;
  }
}
return [new A()];
