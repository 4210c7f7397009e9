/*---
id = "final-numbers-roundtrip"
title = "Numbers at the edges of double precision"
family = "final-value"
threat = """
Numbers that change in the last digit on their way are silent corruption. Exponents, the smallest and the greatest
double, and minus zero must survive serialization and transport.
"""
invariants = ["I9"]
flags = ["numeric-edge"]
refs = [
  "nst/JSONTestSuite number cases",
]

[expect]
value = '[1e+21, 1e-07, 0.30000000000000004, 5e-324, 1.7976931348623157e+308, 9007199254740992, 0]'
---*/
return [1e21, 1e-7, 0.1 + 0.2, 5e-324, 1.7976931348623157e308, 2 ** 53, -0];
