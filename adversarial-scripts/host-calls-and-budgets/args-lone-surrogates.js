/*---
id = "args-lone-surrogates"
title = "Half a surrogate pair inside an argument"
family = "host-calls-and-budgets"
threat = """
A JavaScript string can hold half a surrogate pair, and UTF-8 cannot. Putting U+FFFD in its place makes two different
names one: the operation is asked for something that the script never wrote, and answers as if it had been. In a
result the replacement is harmless and promised; in an argument the call is refused, wherever the half pair stands, and
the run goes on. A whole pair, and U+FFFD itself, are ordinary text.
"""
invariants = ["I6"]
flags = ["argument-abuse", "unicode"]
refs = ["DESIGN §5: Result (arguments are stricter)", "ECMA-262 String.prototype.isWellFormed"]

[expect]
value = '["invalid_arguments", "invalid_arguments", "invalid_arguments", "invalid_arguments", "ok", "ok"]'
---*/
const { snapshot_id } = await codemode.wit.open({ repo: 'demo/fixture' });
const out = [];
for (const more of [
  { queries: ['\ud800'] },
  { queries: ['fn', 'a\udc00b'] },
  { queries: ['\udc00\ud800'] },
  { queries: ['fn'], ['\ud83d']: 1 },
  { queries: ['\ud83d\ude00'] },
  { queries: ['\ufffd'] },
]) {
  try {
    await codemode.wit.searchCode({ snapshot_id, ...more });
    out.push('ok');
  } catch (e) {
    out.push(e.code);
  }
}
return out;
