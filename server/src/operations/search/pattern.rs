//! A query, compiled: ripgrep's matcher, and a literal that every matching line must hold.

use grep_matcher::{LineMatchKind, Matcher as _};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Hir, HirKind};

use wit_worker::registry::Code;

use super::needle::Needle;
use crate::operations::OperationError;

/// Largest compiled program, in bytes: far above any sane query, small enough to build at once.
const PROGRAM_BYTES: usize = 4 << 20;
/// Largest cache of the lazy automaton, in bytes, for each thread.
const AUTOMATON_BYTES: usize = 32 << 20;
/// Deepest nesting of groups.
const NESTING: u32 = 100;
/// Longest match, in bytes, of a pattern that is quick on a line of any length.
const PLAIN_BYTES: usize = 256;
/// Most of the engine's words that are passed on.
const REASON_CHARACTERS: usize = 300;

/// How letters compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Case {
    /// Ignored unless the query has an upper-case letter.
    Smart,
    /// Never ignored.
    Sensitive,
    /// Always ignored.
    Insensitive,
}

impl Case {
    pub(crate) fn of(word: Option<&str>) -> Self {
        match word {
            Some("sensitive") => Self::Sensitive,
            Some("insensitive") => Self::Insensitive,
            _ => Self::Smart,
        }
    }
}

/// A compiled query.
pub(crate) struct Pattern {
    text: String,
    matcher: RegexMatcher,
    needle: Option<Needle>,
    /// Whether the pattern has `\A` or `\z`, which stand for the ends of each line.
    line_by_line: bool,
    plain: bool,
}

impl Pattern {
    /// Compiles a query.
    ///
    /// # Errors
    /// `invalid_pattern`, with what the engine says about it.
    pub(crate) fn compile(text: &str, case: Case) -> Result<Self, OperationError> {
        let matcher = RegexMatcherBuilder::new()
            .case_smart(case == Case::Smart)
            .case_insensitive(case == Case::Insensitive)
            .line_terminator(Some(b'\n'))
            .size_limit(PROGRAM_BYTES)
            .dfa_size_limit(AUTOMATON_BYTES)
            .nest_limit(NESTING)
            .build(text)
            .map_err(|error| invalid(&error.to_string()))?;
        let line_by_line = matcher.line_terminator().is_none();
        let needle = if line_by_line { None } else { Needle::of(text, case) };
        // To see what there is to match, case only widens letters to classes.
        let hir = ParserBuilder::new().utf8(false).multi_line(true).nest_limit(NESTING).build().parse(text).ok();
        let plain = hir.is_some_and(|hir| is_plain(&hir));
        Ok(Self { text: text.to_owned(), matcher, needle, line_by_line, plain })
    }

    /// Compiles all queries.
    pub(crate) fn compile_all(texts: &[String], case: Case) -> Result<Vec<Self>, OperationError> {
        texts.iter().map(|text| Self::compile(text, case)).collect()
    }

    /// The query as it was given.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Whether the pattern is quick on a line of any length: it repeats nothing, and its matches are short.
    pub(crate) fn is_plain(&self) -> bool {
        self.plain
    }

    /// Where the pattern first matches a line without its ending.
    pub(crate) fn position(&self, line: &[u8]) -> Option<usize> {
        // The engine's error type says that it never fails.
        self.matcher.find(line).ok().flatten().map(|found| found.start())
    }

    fn is_match(&self, line: &[u8]) -> bool {
        self.matcher.is_match(line).unwrap_or_default()
    }

    /// The first line at or after `from` that matches, as start and end with its newline. `text` must consist of whole
    /// lines, each with a newline, and `from` must begin one.
    pub(crate) fn next_line(&self, text: &[u8], from: usize) -> Option<(usize, usize)> {
        let mut from = from;
        while from < text.len() {
            let (place, certain) = self.candidate(text, from)?;
            let start = memchr::memrchr(b'\n', &text[..place]).map_or(0, |newline| newline + 1);
            if start >= text.len() {
                return None;
            }
            let end = memchr::memchr(b'\n', &text[place..]).map_or(text.len(), |newline| place + newline + 1);
            if certain || self.is_match(text[start..end].strip_suffix(b"\n").unwrap_or(&text[start..end])) {
                return Some((start, end));
            }
            from = end;
        }
        None
    }

    /// A place in the first line that may match, and whether it surely does.
    fn candidate(&self, text: &[u8], from: usize) -> Option<(usize, bool)> {
        let rest = &text[from..];
        if self.line_by_line {
            return Some((from, false));
        }
        if let Some(needle) = &self.needle {
            return needle.find(rest).map(|at| (from + at, needle.is_whole()));
        }
        self.matcher.find_candidate_line(rest).ok().flatten().map(|found| match found {
            LineMatchKind::Confirmed(at) => (from + at, true),
            LineMatchKind::Candidate(at) => (from + at, false),
        })
    }
}

fn is_plain(hir: &Hir) -> bool {
    fn repeats(hir: &Hir) -> bool {
        match hir.kind() {
            HirKind::Empty | HirKind::Literal(_) | HirKind::Class(_) | HirKind::Look(_) => false,
            HirKind::Repetition(_) => true,
            HirKind::Capture(capture) => repeats(&capture.sub),
            HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().any(repeats),
        }
    }
    !repeats(hir) && hir.properties().maximum_len().is_some_and(|len| len <= PLAIN_BYTES)
}

/// A refusal of a pattern: our words, and the engine's about the caller's own pattern.
pub(super) fn invalid(reason: &str) -> OperationError {
    // The engine draws a picture of the pattern; its last line says what is wrong.
    let reason = reason.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    let reason = reason.strip_prefix("error: ").unwrap_or(reason);
    let reason: String = reason.chars().filter(|c| !c.is_control()).take(REASON_CHARACTERS).collect();
    OperationError::new(Code::InvalidPattern, format!("the pattern cannot be used: {reason}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(pattern: &str, case: Case, text: &str) -> Vec<usize> {
        let pattern = Pattern::compile(pattern, case).expect("a pattern");
        let (mut from, mut found) = (0, Vec::new());
        while let Some((start, end)) = pattern.next_line(text.as_bytes(), from) {
            found.push(text[..start].matches('\n').count() + 1);
            from = end;
        }
        found
    }

    #[test]
    fn lines_are_found_by_every_route() {
        let text = "Foo\nfoo bar\n\nBAR\nfoo\r\n";
        assert_eq!(lines("foo", Case::Smart, text), [1, 2, 5]);
        assert_eq!(lines("Foo", Case::Smart, text), [1]);
        assert_eq!(lines("bar", Case::Sensitive, text), [2]);
        assert_eq!(lines("foo$", Case::Insensitive, text), [1]);
        assert_eq!(lines("^$", Case::Smart, text), [3]);
        assert_eq!(lines("x*", Case::Smart, text), [1, 2, 3, 4, 5]);
        assert_eq!(lines(r"\Afoo", Case::Smart, text), [1, 2, 5]);
        assert_eq!(lines(r"bar\z", Case::Smart, text), [2, 4]);
        assert_eq!(lines("foo|bar", Case::Smart, text), [1, 2, 4, 5]);
        assert_eq!(lines(r"\bba[rz]", Case::Smart, text), [2, 4]);
    }

    #[test]
    fn long_repetitions_are_no_refusal() {
        for pattern in [r"\w{64}", "[A-Za-z0-9_-]{256}", ".{0,256}x", "a[ab]{900}[c-f]"] {
            assert!(Pattern::compile(pattern, Case::Insensitive).is_ok(), "{pattern}");
        }
    }

    #[test]
    fn what_is_plain() {
        let plain = |text: &str| Pattern::compile(text, Case::Smart).expect("a pattern").is_plain();
        for text in ["kiss", "a|b(c|d)", r"\bfn\b", "^x$", "[a-z][0-9]", "(?i)straße"] {
            assert!(plain(text), "{text}");
        }
        for text in ["a*", "a{3}", "(ab)?c", ".*x", &"x".repeat(300)] {
            assert!(!plain(text), "{text}");
        }
    }

    #[test]
    fn refusals_say_why() {
        for (pattern, reason) in [("a\\nb", "not allowed"), ("(", "unclosed group"), ("a{2,1}", "invalid repetition")] {
            let error = Pattern::compile(pattern, Case::Smart).err().expect("a refusal");
            assert_eq!(error.code, Code::InvalidPattern);
            assert!(error.message.contains(reason), "{}", error.message);
        }
        for pattern in [r"(\w{1000}){1000}", &"(".repeat(5000), "a{1000}{1000}{1000}"] {
            assert_eq!(
                Pattern::compile(pattern, Case::Smart).err().map(|error| error.code),
                Some(Code::InvalidPattern)
            );
        }
    }
}
