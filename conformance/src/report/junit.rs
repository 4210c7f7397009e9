//! The report as JUnit XML, in the form that CI systems agree on: a suite a family, a test an item.
//!
//! XML 1.0 has no way at all to write most control characters, so they are shown as what they are called.

use std::fmt::Write as _;

use super::{Row, RunReport};
use crate::catalogue::perform::Verdict;

/// The most of a transcript that goes into a failure; CI systems cut longer ones themselves.
const TRANSCRIPT_BYTES: usize = 16 * 1024;

pub(super) fn render(report: &RunReport) -> String {
    let counts = report.counts;
    let seconds = |rows: &[&Row]| rows.iter().map(|row| row.ms).sum::<u64>();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let all: Vec<&Row> = report.items.iter().collect();
    let _ = writeln!(
        out,
        "<testsuites name=\"wit conformance\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" time=\"{}\">",
        counts.total,
        counts.failed,
        counts.not_run,
        time(seconds(&all))
    );
    for (family, counts) in report.families() {
        let rows: Vec<&Row> = report.items.iter().filter(|row| row.family == family).collect();
        let _ = writeln!(
            out,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" time=\"{}\" timestamp=\"{}\" hostname=\"conformance\">",
            escape(family),
            counts.total,
            counts.failed,
            counts.not_run,
            time(seconds(&rows)),
            escape(report.head.date.trim_end_matches('Z')),
        );
        properties(&mut out, report);
        for row in rows {
            case(&mut out, row);
        }
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

fn properties(out: &mut String, report: &RunReport) {
    let head = &report.head;
    out.push_str("    <properties>\n");
    for (name, value) in [
        ("version", &head.version),
        ("binary_sha256", &head.binary_sha256),
        ("engine", &head.engine),
        ("corpus_sha256", &head.corpus_sha256),
        ("kernel", &head.kernel),
        ("selection", &head.selection),
    ] {
        let _ = writeln!(out, "      <property name=\"{name}\" value=\"{}\"/>", escape(value));
    }
    out.push_str("    </properties>\n");
}

fn case(out: &mut String, row: &Row) {
    let _ = write!(
        out,
        "    <testcase name=\"{}\" classname=\"{}\" file=\"{}\" time=\"{}\"",
        escape(&row.id),
        escape(&row.family),
        escape(&row.file),
        time(row.ms)
    );
    match row.result {
        Verdict::Passed => out.push_str("/>\n"),
        Verdict::NotRun => {
            let _ = writeln!(out, ">\n      <skipped message=\"{}\"/>\n    </testcase>", escape(&row.got));
        }
        Verdict::Failed => {
            let first = row.faults.first().map_or("failed", |fault| fault.lines().next().unwrap_or_default());
            let body = format!(
                "{}\nfile      {}\nexpected  {}\ngot       {}\n{}\ntranscript\n{}",
                row.title,
                row.file,
                row.expected.join(", or "),
                row.got,
                row.faults.join("\n"),
                cut(&row.transcript.join("\n"))
            );
            let _ = writeln!(
                out,
                ">\n      <failure type=\"conformance\" message=\"{}\">{}</failure>\n    </testcase>",
                escape(first),
                escape(&body)
            );
        }
    }
}

fn time(ms: u64) -> String {
    format!("{}.{:03}", ms / 1000, ms % 1000)
}

fn cut(text: &str) -> &str {
    text.char_indices().nth(TRANSCRIPT_BYTES).map_or(text, |(end, _)| text.get(..end).unwrap_or_default())
}

/// Text for an element or an attribute. What XML 1.0 cannot hold is shown by its picture or number.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            // A reference, so that an attribute keeps it.
            '\n' => out.push_str("&#10;"),
            c => out.push_str(&super::html::shown(c)),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_character_is_left_that_xml_cannot_hold() {
        let hostile: String = (0..0x1_0000_u32).filter_map(char::from_u32).collect();
        let escaped = escape(&hostile);
        // https://www.w3.org/TR/xml/#charsets
        let legal =
            |c: char| matches!(c, '\t' | '\n' | '\r' | '\u{20}'..='\u{D7FF}' | '\u{E000}'..='\u{FFFD}' | '\u{10000}'..);
        assert!(escaped.chars().all(legal));
        assert!(!escaped.contains(['<', '>', '"', '\'']));
        assert_eq!(escape("]]>\u{1b}[31m"), "]]&gt;␛[31m");
    }
}
