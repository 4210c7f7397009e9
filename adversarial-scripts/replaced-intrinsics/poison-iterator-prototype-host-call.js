/*---
id = "poison-iterator-prototype-host-call"
title = "Every iterator broken before a host call with an array"
family = "replaced-intrinsics"
threat = """
Arguments hold arrays. Reading them with the iteration protocol would run the script's next(); they are read by
index.
"""
invariants = ["I4", "I6"]
flags = ["prototype-poisoning", "argument-abuse"]

[expect]
value = 'true'
---*/
const ArrayIterator = Object.getPrototypeOf([][Symbol.iterator]());
ArrayIterator.next = function () {
  throw new Error('iterated');
};
const { snapshot_id } = await codemode.wit.open({ repo: 'demo/fixture' });
const found = await codemode.wit.searchCode({ snapshot_id, queries: ['needle_in_the_fixture'] });
return found.returned_items > 0;
