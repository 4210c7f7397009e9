//! Which files are searched: a path prefix, and globs as ripgrep's `-g` has them.
//!
//! A glob without `/` fits a name at any depth, one with `/` a path from the root. With a leading `!` it excludes. The
//! last glob that fits decides; if there is any that doesn't exclude, a file that none fits is left out. A directory that
//! is excluded takes everything below it along. `exclude` is a list of globs, each as if with `!`, after all others.

//!
//! A regular expression over one line can take time that grows with the line and the expression together, and nothing can
//! interrupt the engine within it. So lines over [`LONG_LINE`] are searched only for what is quick on any line; otherwise
//! they are passed over and counted.

use std::ops::Range;

use globset::{Candidate, GlobBuilder, GlobSet, GlobSetBuilder};

use super::pattern::invalid;
use crate::operations::path::{Found, find};
use crate::operations::{OperationContext, OperationError};
use crate::snapshot::{EntryKind, Snapshot};

/// Lines over this many bytes, newline included, are long.
pub(crate) const LONG_LINE: usize = 1 << 20;

/// The files to search.
pub(crate) struct Selection {
    /// Where their text is, in order, neighbours joined.
    text: Vec<Range<usize>>,
    /// Binary files among them.
    pub(crate) binary: u64,
    /// Files among them whose contents are not stored.
    pub(crate) unstored: u64,
    /// Lines passed over as they are long.
    pub(crate) long_lines: u64,
    /// Whether long lines are searched.
    any_line: bool,
}

impl Selection {
    /// Selects by path; `any_line` says that long lines are searched too.
    pub(crate) fn new(
        snapshot: &Snapshot,
        prefix: &str,
        globs: &[String],
        exclude: &[String],
        any_line: bool,
        context: &OperationContext,
    ) -> Result<Self, OperationError> {
        let range = match find(snapshot, prefix)? {
            Found::Directory(path) => snapshot.below(&path),
            Found::Leaf(entry) => entry.index()..entry.index() + 1,
        };
        let globs = Globs::new(globs, exclude)?;
        let mut selection = Self { text: Vec::new(), binary: 0, unstored: 0, long_lines: 0, any_line };
        let mut directory = Directory::default();
        for (looked_at, entry) in snapshot.entries(range).enumerate() {
            if looked_at.is_multiple_of(256) {
                context.check()?;
            }
            if !globs.is_empty() && !globs.selects(entry.path(), &mut directory) {
                continue;
            }
            match entry.kind() {
                EntryKind::Text => selection.add(snapshot, entry.text_range(), context)?,
                EntryKind::Binary => selection.binary += 1,
                EntryKind::Unstored => selection.unstored += 1,
                EntryKind::Symlink | EntryKind::Submodule => {}
            }
        }
        Ok(selection)
    }

    /// The ranges from an offset on.
    pub(crate) fn text_from(&self, begin: usize) -> Vec<Range<usize>> {
        let rest = self.text.iter().map(|range| range.start.max(begin)..range.end);
        rest.filter(|range| range.start < range.end).collect()
    }

    fn add(
        &mut self,
        snapshot: &Snapshot,
        text: Range<usize>,
        context: &OperationContext,
    ) -> Result<(), OperationError> {
        if text.is_empty() {
            return Ok(());
        }
        // The newline that the snapshot gives to a last line without one belongs to the file.
        let ended = snapshot.text().get(text.end - 1) == Some(&b'\n');
        let text = text.start..text.end + usize::from(!ended);
        if self.any_line || text.len() <= LONG_LINE {
            self.push(text);
            return Ok(());
        }
        context.check()?;
        let bytes = snapshot.text().get(text.clone()).unwrap_or_default();
        let (mut kept, mut line) = (0, 0);
        // By the last newline that a line of the allowed length could end in: most lines are never looked at.
        while bytes.len() - line > LONG_LINE {
            if let Some(newline) = memchr::memrchr(b'\n', &bytes[line..line + LONG_LINE]) {
                line += newline + 1;
                continue;
            }
            let rest = line + LONG_LINE;
            let end = memchr::memchr(b'\n', &bytes[rest..]).map_or(bytes.len(), |newline| rest + newline + 1);
            self.push(text.start + kept..text.start + line);
            self.long_lines += 1;
            (kept, line) = (end, end);
        }
        self.push(text.start + kept..text.end);
        Ok(())
    }

    fn push(&mut self, text: Range<usize>) {
        if text.is_empty() {
            return;
        }
        match self.text.last_mut() {
            Some(last) if last.end == text.start => last.end = text.end,
            _ => self.text.push(text),
        }
    }
}

struct Globs {
    set: GlobSet,
    rules: Vec<Rule>,
    only_listed: bool,
    any_excludes: bool,
}

#[derive(Clone, Copy)]
struct Rule {
    exclude: bool,
    directories_only: bool,
}

/// Whether the directory last looked at is excluded.
#[derive(Default)]
struct Directory {
    path: Vec<u8>,
    excluded: bool,
}

impl Globs {
    fn new(globs: &[String], exclude: &[String]) -> Result<Self, OperationError> {
        let mut set = GlobSetBuilder::new();
        let mut rules = Vec::new();
        let all =
            globs.iter().map(|glob| (glob.as_str(), false)).chain(exclude.iter().map(|glob| (glob.as_str(), true)));
        for (glob, excluding) in all {
            let (glob, exclude) = match glob.strip_prefix('!') {
                Some(rest) => (rest, true),
                None => (glob, excluding),
            };
            let (glob, directories_only) = match glob.strip_suffix('/') {
                Some(rest) => (rest, true),
                None => (glob, false),
            };
            let mut pattern = match glob.strip_prefix('/') {
                Some(rooted) => rooted.to_owned(),
                None if glob.contains('/') => glob.to_owned(),
                None => format!("**/{glob}"),
            };
            if pattern.ends_with("/**") {
                pattern.push_str("/*");
            }
            let glob = GlobBuilder::new(&pattern)
                .literal_separator(true)
                .backslash_escape(true)
                .build()
                .map_err(|error| invalid(&error.kind().to_string()))?;
            set.add(glob);
            rules.push(Rule { exclude, directories_only });
        }
        let set = set.build().map_err(|error| invalid(&error.kind().to_string()))?;
        let only_listed = rules.iter().any(|rule| !rule.exclude);
        let any_excludes = rules.iter().any(|rule| rule.exclude);
        Ok(Self { set, rules, only_listed, any_excludes })
    }

    fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    fn selects(&self, path: &[u8], directory: &mut Directory) -> bool {
        if self.any_excludes && self.excludes_directory_of(path, directory) {
            return false;
        }
        match self.last(path, false) {
            Some(rule) => !rule.exclude,
            None => !self.only_listed,
        }
    }

    fn excludes_directory_of(&self, path: &[u8], directory: &mut Directory) -> bool {
        let Some(end) = memchr::memrchr(b'/', path) else { return false };
        let parent = &path[..end];
        if directory.path != parent {
            let ancestors = memchr::memchr_iter(b'/', path).map(|slash| &path[..slash]);
            directory.excluded = { ancestors }.any(|above| self.last(above, true).is_some_and(|rule| rule.exclude));
            directory.path = parent.to_vec();
        }
        directory.excluded
    }

    fn last(&self, path: &[u8], is_directory: bool) -> Option<Rule> {
        use std::borrow::Cow;
        let text: Cow<'_, str> = String::from_utf8_lossy(path);
        let fits = self.set.matches_candidate(&Candidate::new(text.as_ref()));
        let rules = fits.into_iter().filter(|index| is_directory || !self.rules[*index].directories_only);
        rules.max().map(|index| self.rules[index])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selects(globs: &[&str], exclude: &[&str], path: &str) -> bool {
        let owned = |list: &[&str]| list.iter().map(|glob| (*glob).to_owned()).collect::<Vec<_>>();
        let globs = Globs::new(&owned(globs), &owned(exclude)).expect("globs");
        globs.is_empty() || globs.selects(path.as_bytes(), &mut Directory::default())
    }

    #[test]
    fn globs_as_in_ripgrep() {
        assert!(selects(&["*.rs"], &[], "a/b/c.rs"));
        assert!(!selects(&["*.rs"], &[], "a/b/c.md"));
        assert!(!selects(&["/*.rs"], &[], "a/c.rs"));
        assert!(selects(&["/*.rs"], &[], "c.rs"));
        assert!(selects(&["src/**"], &[], "src/a/b"));
        assert!(!selects(&["src/*"], &[], "src/a/b"));
        assert!(selects(&["!*.md"], &[], "c.rs"));
        assert!(!selects(&["!*.md"], &[], "a/c.md"));
        assert!(!selects(&["*.rs", "!test_*"], &[], "x/test_a.rs"));
        assert!(selects(&["!*.rs", "a.rs"], &[], "a.rs"));
        assert!(!selects(&["*.rs"], &["vendor"], "vendor/x/c.rs"));
        assert!(!selects(&[], &["vendor/"], "a/vendor/c.rs"));
        assert!(selects(&[], &["vendor/"], "a/vendor"));
        assert!(selects(&["*.{rs,toml}"], &[], "Cargo.toml"));
        assert!(selects(&["[ab].rs"], &[], "b.rs"));
    }

    #[test]
    fn what_is_no_glob() {
        let error = Globs::new(&["a{b".to_owned()], &[]).err().expect("a refusal");
        assert_eq!(error.code, wit_worker::registry::Code::InvalidPattern);
    }
}
