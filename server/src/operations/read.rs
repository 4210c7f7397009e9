//! `read`: lines of one file, as text, as a list, or numbered.
//!
//! Lines end at `\n`, as `git` and `rg` number them; a `\r` before it belongs to the ending, a lone one to the text. In
//! format `text` endings are kept, so that the pages of a walk, put together, are the file. A line longer than the
//! budget comes in pieces cut between characters: `partial_line` says that the last line goes on in the next page. A
//! walk's position is a line and an offset into its decoded text.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;
use wit_worker::registry::Code;

use super::arguments::{Arguments, refused};
use super::cursor::{Position, Walk};
use super::page::{Ending, Frame};
use super::path::{Found, find};
use super::{OperationError, Surface, provenance};
use crate::snapshot::{Entry, EntryKind, Snapshot};

const WARNING_CUT: &str = "the byte budget ended this page early; next_cursor goes on";
const WARNING_PIECE: &str = "the line is longer than the byte budget; next_cursor goes on within it";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Format {
    Structured,
    Text,
    Lines,
}

pub(crate) fn read(
    snapshot: &Snapshot,
    arguments: &Arguments,
    walk: &Walk<'_>,
    surface: Surface,
) -> Result<Box<RawValue>, OperationError> {
    let entry = text_file(snapshot, arguments.text_or_empty("path"))?;
    let format = match (arguments.text("format"), surface) {
        (Some("text"), _) | (None, Surface::CodeMode) => Format::Text,
        (Some("lines"), _) => Format::Lines,
        _ => Format::Structured,
    };
    let first = arguments.number("start_line").unwrap_or(1);
    let last = arguments.number("end_line").unwrap_or(u64::MAX).min(entry.lines());
    if arguments.number("end_line").is_some_and(|end| end < first) {
        return Err(refused("`end_line` must not be below `start_line`".to_owned()));
    }
    let begin = match arguments.text("cursor") {
        Some(cursor) => walk.accept(cursor)?,
        None => Position(first, 0),
    };
    // The numbers of the lines are only known at the end; the room is what is left with the largest.
    let head = |start: u64, end: u64, partial: bool| {
        let path = serde_json::to_string(&String::from_utf8_lossy(entry.path())).unwrap_or_default();
        format!(
            "{}\"path\":{path},\"blob_sha\":\"{}\",\"start_line\":{start},\"end_line\":{end},\"total_lines\":{},\"size\":{},{}{}",
            provenance(snapshot),
            entry.object_id(),
            entry.lines(),
            entry.size(),
            if entry.is_lossy() { "\"lossy\":true," } else { "" },
            if partial { "\"partial_line\":true," } else { "" },
        )
    };
    let mut frame = Frame {
        head: head(entry.lines(), entry.lines(), true),
        name: match format {
            Format::Structured => "items",
            Format::Text => "text",
            Format::Lines => "lines",
        },
        max_bytes: arguments.number("max_bytes").unwrap_or(65_536),
        walk,
    };
    let most = arguments.count("max_lines").unwrap_or(usize::MAX);
    let page = take(&entry, begin, last, format, most, frame.room());
    frame.head = head(page.start, page.end, page.partial);
    let body = match format {
        Format::Text => format!("\"text\":\"{}\",", page.body.concat()),
        _ => format!("\"{}\":[{}],", frame.name, page.body.join(",")),
    };
    frame.close(&body, Ending { returned: page.body.len(), next: page.next, warning: page.warning })
}

/// The entry of a path that is a text file.
pub(crate) fn text_file<'a>(snapshot: &'a Snapshot, path: &str) -> Result<Entry<'a>, OperationError> {
    let fail = |code, words: &str| Err(OperationError::new(code, words));
    let entry = match find(snapshot, path)? {
        Found::Leaf(entry) => entry,
        Found::Directory(_) => return fail(Code::NotAFile, "the path is a directory; list shows what is in it"),
    };
    match entry.kind() {
        EntryKind::Text => Ok(entry),
        EntryKind::Binary => fail(Code::NotText, "the file is binary; list gives its size and blob_sha"),
        EntryKind::Unstored => fail(
            Code::NotText,
            "the file is over the operator's size cap, so its contents are not stored; list gives its size and blob_sha",
        ),
        EntryKind::Symlink => fail(Code::NotAFile, "the path is a symbolic link; list shows where it points"),
        EntryKind::Submodule => fail(Code::NotAFile, "the path is a submodule; list shows its commit and address"),
    }
}

#[derive(Default)]
struct Page {
    /// Serialized pieces: string contents without quotes for text, whole values otherwise.
    body: Vec<String>,
    start: u64,
    end: u64,
    next: Option<Position>,
    partial: bool,
    warning: Option<&'static str>,
}

fn take(entry: &Entry<'_>, begin: Position, last: u64, format: Format, most: usize, room: usize) -> Page {
    let mut page = Page::default();
    let mut room = room;
    let mut offset = usize::try_from(begin.1).unwrap_or(usize::MAX);
    let skipped = usize::try_from(begin.0.saturating_sub(1)).unwrap_or(usize::MAX);
    let mut lines = Lines { text: entry.text(), mark: entry.byte_order_mark() };
    lines.skip(skipped);
    let mut number = begin.0;
    while number <= last {
        let Some((mark, line)) = lines.next() else { break };
        if page.body.len() == most {
            page.next = Some(Position(number, 0));
            break;
        }
        let line = decoded(mark, if format == Format::Text { line } else { without_ending(line) });
        // Only our own cursors come here, and they point between characters; anything else begins the line anew.
        let rest = line.get(offset..).unwrap_or(&line);
        let whole = encode(format, number, rest);
        if whole.len() < room {
            room -= whole.len() + 1;
            page.body.push(whole);
        } else if page.body.is_empty() {
            let piece = fitting(rest, room.saturating_sub(encode(format, number, "").len() + 1));
            page.body.push(encode(format, number, piece));
            page.partial = piece.len() < rest.len();
            page.warning = Some(WARNING_PIECE);
            page.next = Some(Position(number, (line.len() - rest.len() + piece.len()) as u64)).filter(|_| page.partial);
        } else {
            page.next = Some(Position(number, offset as u64));
            page.warning = Some(WARNING_CUT);
            break;
        }
        page.start = if page.start == 0 { number } else { page.start };
        page.end = number;
        if page.partial {
            break;
        }
        offset = 0;
        number += 1;
    }
    page
}

#[derive(Serialize)]
struct Numbered<'a> {
    line: u64,
    text: &'a str,
}

fn encode(format: Format, number: u64, text: &str) -> String {
    let quoted = |text: &str| serde_json::to_string(text).unwrap_or_default();
    match format {
        Format::Structured => serde_json::to_string(&Numbered { line: number, text }).unwrap_or_default(),
        Format::Lines => quoted(text),
        Format::Text => {
            let text = quoted(text);
            text.get(1..text.len().saturating_sub(1)).unwrap_or_default().to_owned()
        }
    }
}

/// The longest beginning whose JSON form has at most `room` bytes, and at least one character.
fn fitting(text: &str, room: usize) -> &str {
    let mut used = 0;
    let mut buffer = [0; 4];
    for (at, c) in text.char_indices() {
        used += encode(Format::Text, 0, c.encode_utf8(&mut buffer)).len();
        if used > room && at > 0 {
            return &text[..at];
        }
    }
    text
}

/// Lines with their endings; the first comes with the byte order mark.
struct Lines<'a> {
    text: &'a [u8],
    mark: &'static [u8],
}

impl<'a> Lines<'a> {
    fn skip(&mut self, count: usize) {
        if count > 0 {
            self.mark = &[];
            let end = memchr::memchr_iter(b'\n', self.text).nth(count - 1);
            self.text = end.and_then(|end| self.text.get(end + 1..)).unwrap_or_default();
        }
    }

    fn next(&mut self) -> Option<(&'static [u8], &'a [u8])> {
        if self.text.is_empty() && self.mark.is_empty() {
            return None;
        }
        let end = memchr::memchr(b'\n', self.text).map_or(self.text.len(), |end| end + 1);
        let (line, rest) = self.text.split_at(end);
        self.text = rest;
        Some((std::mem::take(&mut self.mark), line))
    }
}

fn decoded<'a>(mark: &[u8], line: &'a [u8]) -> Cow<'a, str> {
    let text = String::from_utf8_lossy(line);
    if mark.is_empty() { text } else { Cow::Owned(format!("\u{feff}{text}")) }
}

/// A line without `\n` or `\r\n`.
pub(crate) fn without_ending(line: &[u8]) -> &[u8] {
    match line.strip_suffix(b"\n") {
        Some(line) => line.strip_suffix(b"\r").unwrap_or(line),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endings() {
        for (line, expected) in [("a\n", "a"), ("a\r\n", "a"), ("a\r", "a\r"), ("a", "a"), ("\r\r\n", "\r"), ("\n", "")]
        {
            assert_eq!(without_ending(line.as_bytes()), expected.as_bytes(), "{line:?}");
        }
    }

    #[test]
    fn pieces_end_between_characters() {
        assert_eq!(fitting("äöü", 4), "äö");
        assert_eq!(fitting("äöü", 3), "ä");
        assert_eq!(fitting("äöü", 0), "ä");
        assert_eq!(fitting("\u{1}x", 6), "\u{1}");
        assert_eq!(fitting("abc", 9), "abc");
    }
}
