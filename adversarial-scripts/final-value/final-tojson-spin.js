/*---
id = "final-tojson-spin"
title = "toJSON that never returns"
family = "final-value"
threat = """
Serialization runs script code, and so it runs on the script's clock. A deadline that stops counting at `return` can
be evaded here.
"""
invariants = ["I5"]
flags = ["reentrant-serialization", "busy-native-code"]

[setup]
policy = { wall_ms = 300 }

[expect]
code = "deadline_exceeded"
max_ms = 3000
---*/
class A {
  toJSON() {
    for (;;);
  }
}
return new A();
