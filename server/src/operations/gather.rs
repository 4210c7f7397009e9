//! `context`: the windows of code that cover several queries best, ranked the same way every time, with reasons.
//!
//! Lines that match are widened by the context and merged where they touch. A window's score is the sum of
//!
//! - for each query it holds, how rare that query is among the files: `ln(1 + files / files with it)`,
//! - a quarter of that sum again for each further query, as covering several is the point,
//! - [`DEFINITION`] if a matching line looks like a definition,
//! - [`PATH`] if the path holds a query,
//! - [`REPEATS`] for each further matching line, up to five,
//! - [`ELSEWHERE`] if the path is of tests, examples or vendored code.
//!
//! Equal scores are ordered by path and line. A walk's position is a rank.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::value::RawValue;
use wit_worker::registry::Code;

use super::arguments::Arguments;
use super::cursor::{Position, Walk};
use super::page::{Frame, Item, Note};
use super::search::{Case, LONG_LINE, LineNumbers, Pattern, Selection, TextLine, Window, counted, scan};
use super::{OperationContext, OperationError, provenance};
use crate::snapshot::Snapshot;

const DEFINITION: f64 = 1.0;
const PATH: f64 = 0.75;
const REPEATS: f64 = 0.1;
const ELSEWHERE: f64 = -0.75;
/// Matching lines of one query that are looked at, in path order: a query with more says too little to rank by.
const MOST_HITS: usize = 20_000;
const NOTE_CUT: Note = Note::Always("a query matches over 20000 lines; the last are not ranked");
/// Bytes of a line within which the words of a definition are looked for.
const BEGINNING: usize = 1024;
/// Windows aren't merged beyond this many lines.
const MOST_LINES: u64 = 120;
/// Words before a name that is being defined, in most languages.
const DEFINING: [&str; 18] = [
    "fn",
    "struct",
    "enum",
    "trait",
    "impl",
    "mod",
    "type",
    "const",
    "static",
    "macro_rules!",
    "class",
    "interface",
    "def",
    "func",
    "function",
    "namespace",
    "#define",
    "typedef",
];
/// Directories whose code is seldom what is looked for.
const ELSEWHERE_NAMES: [&str; 8] =
    ["tests", "test", "examples", "benches", "vendor", "third_party", "node_modules", "fixtures"];

#[derive(Serialize)]
struct Shown<'a> {
    path: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_base64: Option<String>,
    blob_sha: String,
    queries: Vec<&'a str>,
    score: f64,
    ranking_reasons: Vec<String>,
    start_line: u64,
    end_line: u64,
    lines: Vec<TextLine>,
    #[serde(skip_serializing_if = "is_false")]
    lossy: bool,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's signature")]
fn is_false(flag: &bool) -> bool {
    !flag
}

/// A line that matches: where, and which queries, as bits.
struct Hit {
    end: usize,
    number: u64,
    queries: u32,
}

/// Matching lines of one file that are shown together.
struct Candidate {
    entry: usize,
    /// Offsets of the first and behind the last matching line.
    start: usize,
    end: usize,
    first: u64,
    last: u64,
    hits: u64,
    queries: u32,
    score: f64,
    reasons: Vec<String>,
}

pub(crate) fn gather(
    snapshot: &Snapshot,
    arguments: &Arguments,
    walk: &Walk<'_>,
    context: &OperationContext,
) -> Result<Box<RawValue>, OperationError> {
    let patterns = Pattern::compile_all(&arguments.list("queries"), Case::Smart)?;
    let any_line = patterns.iter().all(Pattern::is_plain);
    let selection = Selection::new(snapshot, "", &arguments.list("globs"), &[], any_line, context)?;
    let begin = match arguments.text("cursor") {
        Some(cursor) => usize::try_from(walk.accept(cursor)?.0).unwrap_or(usize::MAX),
        None => 0,
    };
    let around = arguments.count("context_lines").unwrap_or(4);
    let (files, is_cut) = hits_by_file(snapshot, &selection, &patterns, context)?;
    let weights = weights(&files, patterns.len());
    let mut candidates = Vec::new();
    for (entry, hits) in &files {
        context.check()?;
        merge(*entry, hits, around as u64, &mut candidates);
    }
    for candidate in &mut candidates {
        context.check()?;
        rank(snapshot, candidate, &patterns, &weights, context)?;
    }
    // Entries are in path order, so their indices are too.
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score).then((a.entry, a.first).cmp(&(b.entry, b.first))));
    let frame = Frame {
        head: format!("{}{}", provenance(snapshot), counted("skipped_long_lines", selection.long_lines)),
        name: "items",
        max_bytes: arguments.number("max_bytes").unwrap_or(65_536),
        walk,
    };
    let items = candidates.iter().enumerate().skip(begin).map(|(rank, candidate)| {
        context.check()?;
        let entry = snapshot.entry(candidate.entry).ok_or_else(lost)?;
        let path = String::from_utf8_lossy(entry.path());
        let window = Window::around(&entry, candidate.start, candidate.end, candidate.first, around);
        let named = |index: &usize| candidate.queries & (1 << index) != 0;
        let shown = Shown {
            path: &path,
            path_base64: matches!(path, std::borrow::Cow::Owned(_)).then(|| super::path::base64(entry.path())),
            blob_sha: entry.object_id().to_string(),
            queries: (0..patterns.len()).filter(named).map(|index| patterns[index].text()).collect(),
            score: candidate.score,
            ranking_reasons: candidate.reasons.clone(),
            start_line: window.first,
            end_line: window.last(),
            lines: window.show(&patterns, context)?,
            lossy: entry.is_lossy(),
        };
        let json = serde_json::to_string(&shown).map_err(|_| lost())?;
        Ok(Item { json, after: Position(rank as u64 + 1, 0) })
    });
    frame.fill_and_note(items, arguments.count("max_results").unwrap_or(20), is_cut.then_some(NOTE_CUT))
}

fn lost() -> OperationError {
    OperationError::new(Code::OperationFailed, "the operation failed")
}

/// Matching lines of each file, by the offset at which each begins.
type HitsByFile = BTreeMap<usize, BTreeMap<usize, Hit>>;

/// Matching lines by file, each by the offset at which it begins, and whether a query had more than are looked at.
fn hits_by_file(
    snapshot: &Snapshot,
    selection: &Selection,
    patterns: &[Pattern],
    context: &OperationContext,
) -> Result<(HitsByFile, bool), OperationError> {
    let mut is_cut = false;
    let mut files = HitsByFile::new();
    let text = selection.text_from(0);
    for (index, pattern) in patterns.iter().enumerate() {
        let mut numbers = LineNumbers::default();
        // One more than is looked at, which tells whether there are more.
        let hits = scan::scan(snapshot.text(), &text, std::slice::from_ref(pattern), MOST_HITS + 1, context)?;
        is_cut |= hits.len() > MOST_HITS;
        for hit in hits.into_iter().take(MOST_HITS) {
            let entry = snapshot.text_entry_at(hit.start).ok_or_else(lost)?;
            let number = numbers.of(snapshot, &entry, hit.start);
            let lines = files.entry(entry.index()).or_default();
            lines.entry(hit.start).or_insert(Hit { end: hit.end, number, queries: 0 }).queries |= 1 << index;
        }
    }
    Ok((files, is_cut))
}

/// How much each query says: the rarer among the files that match at all, the more.
fn weights(files: &BTreeMap<usize, BTreeMap<usize, Hit>>, count: usize) -> Vec<f64> {
    let holds =
        |index: usize| files.values().filter(|lines| lines.values().any(|hit| hit.queries & (1 << index) != 0)).count();
    let share = |with: usize| files.len() as f64 / with.max(1) as f64;
    (0..count).map(|index| (1.0 + share(holds(index))).ln()).collect()
}

fn merge(entry: usize, hits: &BTreeMap<usize, Hit>, around: u64, candidates: &mut Vec<Candidate>) {
    let mut open: Option<Candidate> = None;
    for (start, hit) in hits {
        match &mut open {
            Some(window) if hit.number <= window.last + 2 * around + 1 && hit.number - window.first < MOST_LINES => {
                (window.end, window.last) = (hit.end, hit.number);
                window.hits += 1;
                window.queries |= hit.queries;
            }
            _ => candidates.extend(open.replace(Candidate {
                entry,
                start: *start,
                end: hit.end,
                first: hit.number,
                last: hit.number,
                hits: 1,
                queries: hit.queries,
                score: 0.0,
                reasons: Vec::new(),
            })),
        }
    }
    candidates.extend(open);
}

fn rank(
    snapshot: &Snapshot,
    candidate: &mut Candidate,
    patterns: &[Pattern],
    weights: &[f64],
    context: &OperationContext,
) -> Result<(), OperationError> {
    let held = candidate.queries.count_ones();
    let sum: f64 =
        (0..weights.len()).filter(|index| candidate.queries & (1 << index) != 0).map(|index| weights[index]).sum();
    let mut score = sum * (1.0 + 0.25 * f64::from(held - 1));
    let mut reasons = vec![format!("{held} of {} queries", patterns.len())];
    if candidate.hits > 1 {
        score += REPEATS * (candidate.hits - 1).min(5) as f64;
        reasons.push(format!("{} matching lines", candidate.hits));
    }
    let text = snapshot.text().get(candidate.start..candidate.end).unwrap_or_default();
    let any_line = patterns.iter().all(Pattern::is_plain);
    for line in text.split(|byte| *byte == b'\n').filter(|line| any_line || line.len() < LONG_LINE) {
        // The words of a definition stand at the beginning of a line.
        let beginning = String::from_utf8_lossy(line.get(..BEGINNING).unwrap_or(line));
        let defining = beginning.split_whitespace().take(4).any(|word| DEFINING.contains(&word));
        if !defining {
            continue;
        }
        context.check()?;
        if patterns.iter().any(|pattern| pattern.position(line).is_some()) {
            score += DEFINITION;
            reasons.push("looks like a definition".to_owned());
            break;
        }
    }
    let path = snapshot.entry(candidate.entry).map(|entry| entry.path().to_vec()).unwrap_or_default();
    if patterns.iter().any(|pattern| pattern.position(&path).is_some()) {
        score += PATH;
        reasons.push("the path matches".to_owned());
    }
    if path.split(|byte| *byte == b'/').any(|part| ELSEWHERE_NAMES.iter().any(|name| name.as_bytes() == part)) {
        score += ELSEWHERE;
        reasons.push("tests, examples or vendored code".to_owned());
    }
    // Three decimals: no more than anyone can tell apart, and the same on every machine.
    candidate.score = (score * 1000.0).round() / 1000.0;
    candidate.reasons = reasons;
    Ok(())
}
