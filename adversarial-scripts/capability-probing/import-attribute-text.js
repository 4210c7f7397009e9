/*---
id = "import-attribute-text"
title = "Import attributes as a way to read files"
family = "capability-probing"
threat = """
Import attributes of type json, text or bytes turn a loader into a file reader. With no loader there is nothing to
read; each must reject.
"""
invariants = ["I4"]
flags = ["module-loading"]
refs = [
  "quickjs-ng tests/import-attributes-identity.js",
  "rquickjs#601",
]

[expect]
value = '[]'
---*/
const out = [];
for (const t of ['json', 'text', 'bytes', 'css']) {
  try {
    const m = await import('/etc/hostname', { with: { type: t } });
    out.push(t);
  } catch (e) {}
}
return out;
