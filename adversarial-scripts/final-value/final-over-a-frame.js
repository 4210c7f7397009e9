/*---
id = "final-over-a-frame"
title = "A result that is over its limit and would not fit in a frame either"
family = "final-value"
threat = """
80 000 bytes are over the limit of 48 KiB and over the 72 KiB of a frame. A worker that does not measure the value
against the result's own limit would find out when it writes the frame, and could only leave: an honest script's
mistake would be told as a broken protocol or a crash. The limit is named, with what was measured.
"""
invariants = ["I5", "I9"]
flags = ["size-boundary"]

[expect]
code = "final_result_bytes_limit"
measured = 80000
limit = 49152
---*/
return 'x'.repeat(79998);
