// A tour of a repository: what it holds, what it promises, and where each promise is kept.
//
// Run it on this very checkout, offline:
//
//     cargo run --release -p wit -- run --local wit/wit=. examples/tour.js
//
// Seven operations are on codemode.wit; this uses four. Only the value returned leaves the sandbox.

const { snapshot_id, commit_sha, totals } = await codemode.wit.open({ repo: 'wit/wit' });

// Independent calls go side by side; one invocation may have four outstanding.
const [tree, unsafe_, promises, manifest] = await Promise.all([
  codemode.wit.list({ snapshot_id, depth: 1, format: 'paths' }),
  codemode.wit.searchCode({ snapshot_id, queries: ['// SAFETY:'], globs: ['*.rs'], context_lines: 0, max_results: 500 }),
  codemode.wit.searchCode({ snapshot_id, queries: ['\\bI([1-9]|1[0-2])\\b'], globs: ['*.rs'], context_lines: 0, max_results: 150 }),
  codemode.wit.read({ snapshot_id, path: 'Cargo.toml' }),
]);

const count = (items, keys) => {
  const found = {};
  for (const item of items) for (const key of keys(item)) found[key] = (found[key] || 0) + 1;
  return found;
};
const invariants = count(promises.items, (item) => item.lines[0].text.match(/\bI([1-9]|1[0-2])\b/g) || []);

console.log(`read ${totals.files} files of ${commit_sha.slice(0, 12)}`);
return {
  commit: commit_sha,
  totals,
  top_level: tree.paths,
  workspace_members: manifest.text.match(/members = \[(.*)\]/)[1].replaceAll('"', '').split(', '),
  unsafe_blocks_explained: count(unsafe_.items, (item) => [item.path]),
  invariants_cited_in_code: Object.fromEntries(
    Object.entries(invariants).sort(([a], [b]) => a.slice(1) - b.slice(1)),
  ),
};
