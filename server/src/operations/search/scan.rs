//! The scan: the selected text in chunks of whole lines, on all cores, in rounds that grow until there are enough hits.
//!
//! A round's chunks are searched in parallel and their hits put together in order, so the outcome doesn't depend on the
//! number of threads. Small first rounds make a common query end early; the sizes double, so that a rare one soon runs at
//! the speed of memory.

use std::ops::Range;

use rayon::prelude::*;

use super::pattern::Pattern;
use crate::operations::{OperationContext, OperationError};

/// Bytes of a chunk in the first round.
const FIRST_CHUNK: usize = 128 << 10;
/// Bytes of a chunk at most.
const LARGEST_CHUNK: usize = 2 << 20;
/// Bytes searched for one query at a stretch, cut behind a newline: deadline and cancellation are looked at between them.
/// A longer line is searched in one piece, as its ends decide what matches; [`super::select`] bounds it.
const STRETCH: usize = 64 << 10;

/// A line that matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Hit {
    /// Offset of its first byte in the text.
    pub(crate) start: usize,
    /// Offset behind its newline.
    pub(crate) end: usize,
    /// The first query that matches it.
    pub(crate) query: usize,
}

/// The first `most` lines of the ranges that any pattern matches, in order.
pub(crate) fn scan(
    text: &[u8],
    ranges: &[Range<usize>],
    patterns: &[Pattern],
    most: usize,
    context: &OperationContext,
) -> Result<Vec<Hit>, OperationError> {
    let threads = rayon::current_num_threads().max(1);
    let mut chunks = Chunks { text, ranges, begin: 0, size: FIRST_CHUNK };
    let mut hits = Vec::new();
    while hits.len() < most {
        context.check()?;
        let round: Vec<Vec<Range<usize>>> = chunks.by_ref().take(threads * 4).collect();
        if round.is_empty() {
            break;
        }
        let room = most - hits.len();
        let found: Result<Vec<Vec<Hit>>, OperationError> = round
            .into_par_iter()
            .map(|chunk| {
                context.check()?;
                search_chunk(text, &chunk, patterns, room, context)
            })
            .collect();
        hits.extend(found?.into_iter().flatten().take(room));
        chunks.size = (chunks.size * 4).min(LARGEST_CHUNK);
    }
    Ok(hits)
}

fn search_chunk(
    text: &[u8],
    chunk: &[Range<usize>],
    patterns: &[Pattern],
    most: usize,
    context: &OperationContext,
) -> Result<Vec<Hit>, OperationError> {
    let mut hits: Vec<Hit> = Vec::new();
    for (query, pattern) in patterns.iter().enumerate() {
        let mut count = 0;
        for range in chunk {
            let mut begin = range.start;
            while begin < range.end && count < most {
                context.check()?;
                let stop = stretch(text, begin, range.end);
                let lines = text.get(begin..stop).unwrap_or_default();
                let mut from = 0;
                while count < most {
                    let Some((start, end)) = pattern.next_line(lines, from) else { break };
                    hits.push(Hit { start: begin + start, end: begin + end, query });
                    from = end;
                    count += 1;
                }
                begin = stop;
            }
        }
    }
    if patterns.len() > 1 {
        hits.sort_unstable_by_key(|hit| (hit.start, hit.query));
        hits.dedup_by_key(|hit| hit.start);
    }
    hits.truncate(most);
    Ok(hits)
}

/// Where a stretch of whole lines from `begin` on ends, at `end` at the latest.
fn stretch(text: &[u8], begin: usize, end: usize) -> usize {
    let wanted = begin.saturating_add(STRETCH);
    let newline = text.get(wanted..end).and_then(|after| memchr::memchr(b'\n', after));
    newline.map_or(end, |newline| wanted + newline + 1)
}

/// Puts ranges together to chunks of about `size` bytes; a larger range is cut behind a newline.
struct Chunks<'a> {
    text: &'a [u8],
    ranges: &'a [Range<usize>],
    /// How far the first range has been handed out.
    begin: usize,
    size: usize,
}

impl Iterator for Chunks<'_> {
    type Item = Vec<Range<usize>>;

    fn next(&mut self) -> Option<Vec<Range<usize>>> {
        let mut chunk = Vec::new();
        let mut bytes = 0;
        while bytes < self.size {
            let Some((first, rest)) = self.ranges.split_first() else { break };
            let start = first.start.max(self.begin);
            let wanted = start + (self.size - bytes);
            let newline = self.text.get(wanted..first.end).and_then(|after| memchr::memchr(b'\n', after));
            let end = newline.map_or(first.end, |newline| wanted + newline + 1);
            if end == first.end {
                self.ranges = rest;
            }
            self.begin = end;
            bytes += end - start;
            chunk.push(start..end);
        }
        (!chunk.is_empty()).then_some(chunk)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operations::search::Case;
    use std::time::Duration;
    use tokio_util::sync::CancellationToken;

    fn context() -> OperationContext {
        OperationContext::new(Duration::from_secs(60), CancellationToken::new())
    }

    #[test]
    fn chunks_cover_every_line_once() {
        let text: String = (0..1000).map(|line| format!("line {line}\n")).collect();
        let (text, half) = (text.as_bytes(), text.find("line 500\n").expect("a line"));
        for size in [1, 7, 100, 3000, 1 << 20] {
            let (all, halves) = ([0..text.len(), 0..0], [0..half, half..text.len()]);
            for ranges in [&all[..1], &halves] {
                let chunks = Chunks { text, ranges, begin: 0, size };
                let pieces: Vec<_> = chunks.flatten().collect();
                assert!(pieces.iter().all(|piece| text[piece.end - 1] == b'\n'));
                assert_eq!(pieces.iter().flat_map(|piece| &text[piece.clone()]).copied().collect::<Vec<_>>(), text);
            }
        }
    }

    #[test]
    fn hits_come_in_order_and_name_the_first_query() {
        let text: String = (0..50_000).map(|line| format!("line {line}\n")).collect();
        let queries = ["7$".to_owned(), "line".to_owned()];
        let patterns = Pattern::compile_all(&queries, Case::Smart).expect("patterns");
        let all = scan(text.as_bytes(), std::slice::from_ref(&(0..text.len())), &patterns, usize::MAX, &context())
            .expect("hits");
        assert_eq!(all.len(), 50_000);
        assert!(all.is_sorted_by(|a, b| a.start < b.start));
        assert!(all.iter().enumerate().all(|(line, hit)| hit.query == usize::from(line % 10 != 7)));
        let some =
            scan(text.as_bytes(), std::slice::from_ref(&(0..text.len())), &patterns, 12_345, &context()).expect("hits");
        assert_eq!(some, all[..12_345]);
    }

    #[test]
    fn every_stretch_looks_at_the_context() {
        let text = [vec![b'x'; STRETCH * 2], b"\n".to_vec(), b"needle\n".repeat(50_000)].concat();
        let (first, second) = (stretch(&text, 0, text.len()), STRETCH * 2 + 1);
        assert_eq!(first, second, "a long line is one stretch");
        assert!((second + STRETCH..second + STRETCH + 7).contains(&(stretch(&text, second, text.len()) - 1)));
        assert_eq!(stretch(&text, second, second + 7), second + 7);

        let patterns = Pattern::compile_all(&["needle".to_owned(), "e$".to_owned()], Case::Smart).expect("patterns");
        let whole = 0..text.len();
        let chunk = std::slice::from_ref(&whole);
        let hits = search_chunk(&text, chunk, &patterns, usize::MAX, &context()).expect("hits");
        assert_eq!(hits.len(), 50_000);
        let context = context();
        context.cancellation().cancel();
        let outcome = search_chunk(&text, chunk, &patterns, usize::MAX, &context);
        assert_eq!(outcome.map_err(|error| error.code), Err(wit_worker::registry::Code::Cancelled));
    }

    #[test]
    fn a_cancelled_scan_ends() {
        let context = context();
        context.cancellation().cancel();
        let patterns = Pattern::compile_all(&["x".to_owned()], Case::Smart).expect("patterns");
        let outcome = scan(b"x\n", std::slice::from_ref(&(0..2)), &patterns, 1, &context);
        assert_eq!(outcome.map_err(|error| error.code), Err(wit_worker::registry::Code::Cancelled));
    }
}
