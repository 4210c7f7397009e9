/*---
id = "host-work-does-not-refill-the-clock"
title = "Host calls do not refill the JavaScript clock"
family = "promises-and-microtasks"
threat = """
If each host result restarted the watchdog or the interrupt, a script could spin between calls for as long as it has
calls.
"""
invariants = ["I5"]
flags = ["budget-exhaustion", "swallowed-interrupt"]

[setup]
policy = { wall_ms = 400 }

[expect]
code = "deadline_exceeded"
max_ms = 4000
---*/
const spin = (ms) => {
  const end = Date.now() + ms;
  while (Date.now() < end);
};
const { snapshot_id } = await codemode.wit.open({ repo: 'demo/fixture' });
for (let i = 0; i < 8; i++) {
  spin(150);
  await codemode.wit.list({ snapshot_id });
}
return 'refilled';
