//! `searchCode`: regular expressions over every text file, line by line, in path order.
//!
//! Lines match exactly where `rg -n --hidden --no-ignore` with the same flags finds them: the same engine, the same
//! line rules. What differs is the work: the text of all files is one mapped region, so a search is a scan of memory
//! in a few large chunks, without opening, reading or even looking at single files ([`scan`]). Like `rg` we search
//! neither binary files nor symbolic links; unlike it, text in UTF-16 counts as binary.
//!
//! A line is one item however many queries match it, and names the first of them. A walk's position is the offset of
//! the line after the last item.

mod needle;
mod pattern;
pub(crate) mod scan;
mod select;

use serde::Serialize;
use serde_json::value::RawValue;
use wit_worker::registry::Code;

use super::arguments::Arguments;
use super::cursor::{Position, Walk};
use super::page::{Frame, Item};
use super::read::without_ending;
use super::{OperationContext, OperationError, provenance};
use crate::snapshot::{Entry, Snapshot};
pub(crate) use pattern::{Case, Pattern};
pub(crate) use select::{LONG_LINE, Selection};

/// Lines longer than this many bytes are cut, and say how long they are.
const LINE_BYTES: usize = 1024;
/// Of a cut line that matches, this much before the match is kept.
const LEAD_BYTES: usize = 256;

#[derive(Serialize)]
struct Match<'a> {
    path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_base64: Option<String>,
    blob_sha: String,
    query: &'a str,
    match_line: u64,
    start_line: u64,
    end_line: u64,
    lines: Vec<TextLine>,
    #[serde(skip_serializing_if = "is_false")]
    lossy: bool,
}

/// A line as it is shown.
#[derive(Serialize)]
pub(crate) struct TextLine {
    line: u64,
    text: String,
    #[serde(rename = "match", skip_serializing_if = "is_false")]
    matches: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    true_bytes: Option<u64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_false(flag: &bool) -> bool {
    !flag
}

pub(crate) fn search(
    snapshot: &Snapshot,
    arguments: &Arguments,
    walk: &Walk<'_>,
    context: &OperationContext,
) -> Result<Box<RawValue>, OperationError> {
    let case = Case::of(arguments.text("case"));
    let patterns = Pattern::compile_all(&arguments.list("queries"), case)?;
    let mut globs = arguments.list("globs");
    globs.extend(arguments.text("glob").map(str::to_owned));
    let prefix = arguments.text_or_empty("path_prefix");
    let any_line = patterns.iter().all(Pattern::is_plain);
    let selection = Selection::new(snapshot, prefix, &globs, &arguments.list("exclude"), any_line, context)?;
    let begin = match arguments.text("cursor") {
        Some(cursor) => usize::try_from(walk.accept(cursor)?.0).unwrap_or(usize::MAX),
        None => 0,
    };
    let most = arguments.count("max_results").unwrap_or(100);
    let hits = scan::scan(snapshot.text(), &selection.text_from(begin), &patterns, most + 1, context)?;
    let skipped = format!(
        "{}{}",
        counted("skipped_unstored", selection.unstored),
        counted("skipped_long_lines", selection.long_lines)
    );
    let frame = Frame {
        head: format!("{}\"skipped_binary\":{},{skipped}", provenance(snapshot), selection.binary),
        name: "items",
        max_bytes: arguments.number("max_bytes").unwrap_or(65_536),
        walk,
    };
    let around = arguments.count("context_lines").unwrap_or(4);
    let mut numbers = LineNumbers::default();
    let items = hits.iter().map(|hit| {
        context.check()?;
        let entry = snapshot.text_entry_at(hit.start).ok_or_else(lost)?;
        let number = numbers.of(snapshot, &entry, hit.start);
        let query = patterns.get(hit.query).ok_or_else(lost)?;
        let window = Window::around(&entry, hit.start, hit.end, number, around);
        let path = String::from_utf8_lossy(entry.path());
        let shown = Match {
            path: &path,
            path_base64: matches!(path, std::borrow::Cow::Owned(_)).then(|| super::path::base64(entry.path())),
            blob_sha: entry.object_id().to_string(),
            query: query.text(),
            match_line: number,
            start_line: window.first,
            end_line: window.last(),
            lines: window.show(&patterns, context)?,
            lossy: entry.is_lossy(),
        };
        let json = serde_json::to_string(&shown).map_err(|_| lost())?;
        Ok(Item { json, after: Position(hit.end as u64, 0) })
    });
    frame.fill(items, most)
}

fn lost() -> OperationError {
    OperationError::new(Code::OperationFailed, "the operation failed")
}

/// A count among the fields before the items, if there is something to count.
pub(crate) fn counted(name: &str, count: u64) -> String {
    if count == 0 { String::new() } else { format!("\"{name}\":{count},") }
}

/// Counts lines forward from the last place asked about, so that each byte is counted once.
#[derive(Default)]
pub(crate) struct LineNumbers {
    at: usize,
    number: u64,
    file: Option<usize>,
}

impl LineNumbers {
    /// The number of the line that begins at an offset of the text, which must not decrease within a file.
    pub(crate) fn of(&mut self, snapshot: &Snapshot, entry: &Entry<'_>, start: usize) -> u64 {
        if self.file != Some(entry.index()) || self.at > start {
            *self = Self { at: entry.text_range().start, number: 1, file: Some(entry.index()) };
        }
        let between = snapshot.text().get(self.at..start).unwrap_or_default();
        self.number += memchr::memchr_iter(b'\n', between).count() as u64;
        self.at = start;
        self.number
    }
}

/// Neighbouring lines of one file.
pub(crate) struct Window<'a> {
    lines: Vec<&'a [u8]>,
    pub(crate) first: u64,
}

impl<'a> Window<'a> {
    /// The lines from `start` to `end` (offsets of the text), of which the first is `number`, and up to `around` more on
    /// each side.
    pub(crate) fn around(entry: &Entry<'a>, start: usize, end: usize, number: u64, around: usize) -> Self {
        let base = entry.text_range().start;
        let text = entry.text();
        let (start, end) = (start.saturating_sub(base), end.saturating_sub(base).min(text.len()));
        let mut first = number;
        let mut begin = start;
        for _ in 0..around {
            let Some(above) = text.get(..begin).and_then(|above| above.strip_suffix(b"\n")) else { break };
            begin = memchr::memrchr(b'\n', above).map_or(0, |newline| newline + 1);
            first -= 1;
        }
        let mut stop = end;
        for _ in 0..around {
            let below = text.get(stop..).unwrap_or_default();
            if below.is_empty() {
                break;
            }
            stop += memchr::memchr(b'\n', below).map_or(below.len(), |newline| newline + 1);
        }
        let window = text.get(begin..stop).unwrap_or_default();
        Self { lines: window.split_inclusive(|byte| *byte == b'\n').map(without_ending).collect(), first }
    }

    pub(crate) fn last(&self) -> u64 {
        self.first + (self.lines.len() as u64).saturating_sub(1)
    }

    /// The lines as they are shown, with those marked that any pattern matches; a line that wasn't searched is not marked.
    pub(crate) fn show(
        &self,
        patterns: &[Pattern],
        context: &OperationContext,
    ) -> Result<Vec<TextLine>, OperationError> {
        let any_line = patterns.iter().all(Pattern::is_plain);
        let show = |(index, line): (usize, &&[u8])| {
            let searched = if any_line || line.len() < LONG_LINE { patterns } else { &[] };
            let mut found = None;
            for pattern in searched {
                context.check()?;
                found = pattern.position(line);
                if found.is_some() {
                    break;
                }
            }
            let (text, true_bytes) = cut(line, found);
            Ok(TextLine { line: self.first + index as u64, text, matches: found.is_some(), true_bytes })
        };
        self.lines.iter().enumerate().map(show).collect()
    }
}

/// A line short enough to show, and its length if it had to be cut; what matches stays in view.
fn cut(line: &[u8], found: Option<usize>) -> (String, Option<u64>) {
    if line.len() <= LINE_BYTES {
        return (String::from_utf8_lossy(line).into_owned(), None);
    }
    let lead = found.unwrap_or_default().saturating_sub(LEAD_BYTES);
    let begin = boundary(line, lead.min(line.len() - LINE_BYTES));
    let end = boundary(line, (begin + LINE_BYTES).min(line.len()));
    let shown = String::from_utf8_lossy(&line[begin..end]);
    let (before, after) = (if begin > 0 { "…" } else { "" }, if end < line.len() { "…" } else { "" });
    (format!("{before}{shown}{after}"), Some(line.len() as u64))
}

/// The nearest place at or before `at` that isn't inside a UTF-8 character.
fn boundary(line: &[u8], at: usize) -> usize {
    let inside = |at: &usize| line.get(*at).is_some_and(|byte| byte & 0b1100_0000 == 0b1000_0000);
    (at.saturating_sub(3)..=at).rev().find(|at| !inside(at)).unwrap_or(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lines_are_cut_around_the_match() {
        let line = [vec![b'a'; 5000], b"match".to_vec(), vec![b'b'; 5000]].concat();
        let (text, true_bytes) = cut(&line, Some(5000));
        assert!(text.starts_with('…') && text.ends_with('…') && text.contains("match"));
        assert_eq!((true_bytes, text.len()), (Some(10_005), LINE_BYTES + 6));
        let umlauts = "ä".repeat(2000);
        let (text, _) = cut(umlauts.as_bytes(), Some(2001));
        assert!(!text.contains(char::REPLACEMENT_CHARACTER));
    }
}
