/*---
id = "oom-many-small-buffers"
title = "Many buffers, each far below the limit"
family = "memory"
threat = """
Buffers whose contents live outside the engine's accounting would add up to any size. Their bytes must count against
the heap.
"""
invariants = ["I5"]
flags = ["heap-exhaustion"]
refs = [
  "justjake/quickjs-emscripten#271",
  "quickjs-ng#1711",
  "vercel-labs/quickjs-wasi#30",
  "rquickjs set_memory_limit doc ('Noop when a custom allocator is being used')",
]

[expect]
code = "code_rejected"
reason = "heap_limit"
---*/
const k = [];
for (let i = 0; i < 300; i++) {
  const b = new Uint8Array(512 * 1024);
  b[0] = 1;
  k.push(b);
}
return k.length;
