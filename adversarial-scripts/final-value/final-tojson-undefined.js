/*---
id = "final-tojson-undefined"
title = "toJSON that returns undefined"
family = "final-value"
threat = """
The conversion is honoured, and its result judged like any other: undefined as the whole value is refused.
"""
invariants = ["I9"]
flags = ["non-json-value", "reentrant-serialization"]

[expect]
code = "code_rejected"
reason = "not_json"
---*/
class A {
  toJSON() {
    return undefined;
  }
}
return new A();
