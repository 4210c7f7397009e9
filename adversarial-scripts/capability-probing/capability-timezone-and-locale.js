/*---
id = "capability-timezone-and-locale"
title = "The host's time zone and locale do not show"
family = "capability-probing"
threat = """
Both tell where a server stands and who runs it. They are UTC and C whatever the environment says.
"""
invariants = ["I2", "I4"]
flags = ["information-leak", "ambient-authority"]

[setup]
environment = { TZ = "Asia/Tokyo", LANG = "de_DE.UTF-8", LC_ALL = "de_DE.UTF-8" }

[expect]
value = '[0, true, "1234.5"]'
---*/
return [
  new Date(0).getTimezoneOffset(),
  /GMT\+0000|UTC/.test(new Date(0).toString()),
  (1234.5).toLocaleString().replace(',', ''),
];
