//! The report as Markdown: the head, families × results, promises that are not held up, failures in full, every item.

use std::fmt::Write as _;

use super::{Head, Row, RunReport};
use crate::catalogue::perform::Verdict;

/// Writing to a `String` cannot fail, so the results of `write!` are not looked at.
pub(super) fn render(report: &RunReport) -> String {
    let mut text = String::from("# Conformance report\n\n");
    head(&mut text, report);
    text.push_str("\n## Families\n\n| family | passed | failed | not run |\n|---|---:|---:|---:|\n");
    for (family, counts) in report.families() {
        let _ = writeln!(text, "| {} | {} | {} | {} |", inline(family), counts.passed, counts.failed, counts.not_run);
    }
    promises(&mut text, report);
    failures(&mut text, report);
    text.push_str(
        "\n## Every item\n\n| item | title | invariants | expected | result | ms |\n|---|---|---|---|---|---:|\n",
    );
    for row in &report.items {
        let Row { id, title, invariants, expected, result, ms, .. } = row;
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {ms} |",
            inline(id),
            inline(title),
            inline(&invariants.join(" ")),
            inline(&expected.join(", or ")),
            word(*result)
        );
    }
    text
}

const fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Failed => "**FAILED**",
        other => other.word(),
    }
}

fn head(text: &mut String, report: &RunReport) {
    let Head { date, version, binary_sha256, engine, corpus_sha256, platform, kernel, layers, selection, .. } =
        &report.head;
    let counts = report.counts;
    let layers: Vec<String> = layers.iter().map(|layer| format!("{} ({})", layer.name, layer.state)).collect();
    let rows = [
        ("result", format!("{} passed, {} failed, {} not run", counts.passed, counts.failed, counts.not_run)),
        ("items", selection.clone()),
        ("date", date.clone()),
        ("server", version.clone()),
        ("binary SHA-256", binary_sha256.clone()),
        ("engine", engine.clone()),
        ("corpus SHA-256", corpus_sha256.clone()),
        ("platform", format!("{platform}, kernel {kernel}")),
        ("lockdown", layers.join(", ")),
    ];
    text.push_str("| | |\n|---|---|\n");
    for (name, value) in rows {
        let _ = writeln!(text, "| {name} | {} |", inline(&value));
    }
}

fn promises(text: &mut String, report: &RunReport) {
    let broken: Vec<_> = report.promises.iter().filter(|promise| promise.result == Some(Verdict::Failed)).collect();
    let held = report.promises.iter().filter(|promise| promise.result == Some(Verdict::Passed)).count();
    let _ = writeln!(
        text,
        "\n## Promises\n\nOf {} promises of the documents, {held} are held up by items of this run, {} are broken by one. \
         `docs/requirements.toml` lists them all, with the tests and reasons of the others.",
        report.promises.len(),
        broken.len()
    );
    for promise in broken {
        let _ = writeln!(
            text,
            "\n- {} ({}): {}",
            inline(&promise.id),
            inline(&promise.document),
            inline(&promise.sentence)
        );
    }
}

fn failures(text: &mut String, report: &RunReport) {
    for row in report.items.iter().filter(|row| row.result == Verdict::Failed) {
        let _ = write!(
            text,
            "\n## {}\n\n{}\n\n- file: {}\n- expected: {}\n- got: {}\n",
            inline(&row.id),
            inline(&row.title),
            inline(&row.file),
            inline(&row.expected.join(", or ")),
            inline(&row.got)
        );
        for fault in &row.faults {
            let _ = writeln!(text, "- fault: {}", inline(fault));
        }
        let _ = write!(text, "\n{}", fenced(&row.transcript.join("\n")));
    }
}

/// A text that cannot leave its line, its cell or its paragraph, and is no markup.
pub(crate) fn inline(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' | '!' => {
                out.push('\\');
                out.push(c);
            }
            c if c.is_control() => out.push_str(&super::html::visible(c)),
            c => out.push(c),
        }
    }
    out
}

/// A block whose fence is longer than any row of backticks in it.
fn fenced(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    let body: String = text.chars().map(|c| if c == '\n' { c.to_string() } else { super::html::shown(c) }).collect();
    format!("{fence}text\n{body}\n{fence}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_stays_where_it_is() {
        assert_eq!(inline("a|b\n# <img src=x>"), "a\\|b␊\\# &lt;img src=x&gt;");
        assert_eq!(inline("[x](javascript:1)"), "\\[x\\](javascript:1)");
        let block = fenced("one\n```\n</pre>");
        assert!(block.starts_with("````text\n") && block.ends_with("\n````\n"), "{block}");
    }
}
