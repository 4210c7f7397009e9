//! The upper part of the page: the verdict, what was tested on what, the matrices, the promises.

use super::{body, escape, key, look, number};
use crate::binary::workspace;
use crate::catalogue::perform::Verdict;
use crate::report::{Counts, Head, Promise, RunReport};

pub(super) fn write(out: &mut String, report: &RunReport) {
    let counts = report.counts;
    let (class, word) = if report.holds() { ("pass", "Nothing failed") } else { ("fail", "The gate fails") };
    out.push_str(&format!(
        "<header class=\"top\">\n<p class=\"kicker\">wit conformance report</p>\n<h1 class=\"{class}\">{word}</h1>\n<p class=\"tally\">\
         <a href=\"#?result=passed\" class=\"pass\">✓ {} passed</a> <a href=\"#?result=failed\" class=\"fail\">✗ {} failed</a> \
         <a href=\"#?result=not_run\" class=\"skip-run\">– {} not run</a></p>\n{}\n",
        number(counts.passed),
        number(counts.failed),
        number(counts.not_run),
        bar(counts, "wide")
    ));
    head(out, &report.head);
    out.push_str("</header>\n<main>\n");
    out.push_str("<section class=\"two\">\n");
    families(out, report);
    invariants(out, report);
    out.push_str("</section>\n");
    codes(out, report);
    flags(out, report);
    promises(out, &report.promises);
}

/// A bar of passed, failed and not run, drawn without a style attribute.
fn bar(counts: Counts, class: &str) -> String {
    let total = counts.total.max(1);
    let mut from = 0;
    let mut parts = String::new();
    for verdict in Verdict::ALL {
        let count = counts.get(verdict);
        if count > 0 {
            let class = look(verdict).0;
            parts.push_str(&format!("<rect class=\"{class}\" x=\"{from}\" y=\"0\" width=\"{count}\" height=\"1\"/>"));
        }
        from += count;
    }
    format!(
        "<svg class=\"bar {class}\" viewBox=\"0 0 {total} 1\" preserveAspectRatio=\"none\" aria-hidden=\"true\">{parts}</svg>"
    )
}

fn head(out: &mut String, head: &Head) {
    let Head { date, version, binary_sha256, engine, corpus_sha256, platform, kernel, selection, .. } = head;
    out.push_str("<dl class=\"facts\">\n");
    for (name, value, is_code) in [
        ("server", version, false),
        ("engine", engine, false),
        ("platform", &format!("{platform}, kernel {kernel}"), false),
        ("date", date, false),
        ("cases chosen", selection, false),
        ("binary SHA-256", binary_sha256, true),
        ("corpus SHA-256", corpus_sha256, true),
    ] {
        let value = escape(value);
        let value = if is_code { format!("<code>{value}</code>") } else { value };
        out.push_str(&format!("<div><dt>{name}</dt><dd>{value}</dd></div>\n"));
    }
    out.push_str("</dl>\n<div class=\"layers\"><h2>Lockdown on this machine</h2>");
    if !head.sandbox_available {
        out.push_str("<p class=\"fail\">Code Mode does not start here.</p>");
    }
    out.push_str("<ul>");
    for layer in &head.layers {
        out.push_str(&format!(
            "<li class=\"{}\"><b>{}</b> {} <small>{}</small></li>",
            escape(&layer.state),
            escape(&layer.name),
            escape(&layer.state.replace('_', " ")),
            escape(&layer.evidence)
        ));
    }
    out.push_str("</ul></div>\n");
}

fn families(out: &mut String, report: &RunReport) {
    out.push_str("<div><h2 id=\"families\">Families</h2>\n");
    matrix(out, "family", "family", &report.families(), |_| String::new());
    out.push_str("</div>\n");
}

fn invariants(out: &mut String, report: &RunReport) {
    let sentences = invariant_sentences();
    let groups = report.groups(|row| row.invariants.iter().map(String::as_str).collect());
    out.push_str("<div><h2 id=\"invariants\">Invariants</h2>\n");
    matrix(out, "invariant", "invariant", &groups, |name| {
        let sentence = sentences.iter().find(|(invariant, _)| invariant == name).map(|(_, sentence)| sentence.as_str());
        format!("<small>{}</small>", prose(sentence.unwrap_or_default()))
    });
    out.push_str("</div>\n");
}

fn codes(out: &mut String, report: &RunReport) {
    let expected = report.groups(|row| row.codes.iter().map(String::as_str).collect());
    let forged = report.groups(|row| row.forges.iter().map(String::as_str).collect());
    out.push_str("<details class=\"block\"><summary><h2 id=\"codes\">Error codes</h2> <span>each provoked, and each forged in vain</span></summary>\n");
    matrix(out, "code", "code", &expected, |name| {
        let count = forged.iter().find(|(code, _)| *code == name).map_or(0, |(_, counts)| counts.total);
        format!("<small>{}</small>", plural(count, "forgery", "forgeries"))
    });
    out.push_str("</details>\n");
}

fn flags(out: &mut String, report: &RunReport) {
    let groups = report.groups(|row| row.flags.iter().map(String::as_str).collect());
    out.push_str("<details class=\"block\"><summary><h2 id=\"flags\">Flags</h2> <span>what is attacked, and what it would gain</span></summary>\n");
    matrix(out, "flag", "flag", &groups, |name| {
        let meaning = report.flags.iter().find(|flag| flag.name == name);
        meaning.map_or_else(String::new, |flag| {
            format!("<small>{}; without the defence: {}</small>", prose(&flag.attacks), prose(&flag.effect))
        })
    });
    out.push_str("</details>\n");
}

/// A sentence of a document, with what stands between backticks as code.
fn prose(text: &str) -> String {
    let parts = text.split('`').enumerate();
    parts
        .map(|(index, part)| if index % 2 == 1 { format!("<code>{}</code>", body(part)) } else { body(part) })
        .collect()
}

fn plural(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Names × results; each number is a link that chooses those items.
fn matrix(out: &mut String, heading: &str, field: &str, groups: &[(&str, Counts)], more: impl Fn(&str) -> String) {
    out.push_str(&format!("<table class=\"matrix\"><thead><tr><th scope=\"col\">{heading}</th>"));
    for verdict in Verdict::ALL {
        out.push_str(&format!("<th scope=\"col\" class=\"n\">{}</th>", verdict.word()));
    }
    out.push_str("<th scope=\"col\" class=\"b\"><span class=\"hidden\">share</span></th></tr></thead>\n<tbody>\n");
    for (name, counts) in groups {
        let name_text = escape(name);
        let anchor = if field == "invariant" { format!(" id=\"{name_text}\"") } else { String::new() };
        out.push_str(&format!(
            "<tr{anchor}><th scope=\"row\"><a href=\"#?{field}={name_text}\">{name_text}</a> {}</th>",
            more(name)
        ));
        for verdict in Verdict::ALL {
            let count = counts.get(verdict);
            match count {
                0 => out.push_str("<td class=\"n zero\">0</td>"),
                _ => out.push_str(&format!(
                    "<td class=\"n {}\"><a href=\"#?{field}={name_text}&amp;result={}\">{}</a></td>",
                    look(verdict).0,
                    key(verdict),
                    number(count)
                )),
            }
        }
        out.push_str(&format!("<td class=\"b\">{}</td></tr>\n", bar(*counts, "")));
    }
    out.push_str("</tbody></table>\n");
}

fn promises(out: &mut String, promises: &[Promise]) {
    let count = |wanted: Option<Verdict>| promises.iter().filter(|promise| promise.result == wanted).count();
    let (held, broken) = (count(Some(Verdict::Passed)), count(Some(Verdict::Failed)));
    let open = if broken > 0 { " open" } else { "" };
    out.push_str(&format!(
        "<details class=\"block\"{open}><summary><h2 id=\"promises\">Promises</h2> <span>{} sentences of the documents: {held} held up by \
         cases of this run, {broken} broken; the others by tests, or with a reason for having none</span></summary>\n<table \
         class=\"promises\"><thead><tr><th scope=\"col\">id</th><th scope=\"col\">promise</th><th scope=\"col\">held up by</th><th \
         scope=\"col\">result</th></tr></thead>\n<tbody>\n",
        promises.len()
    ));
    for promise in promises {
        let id = escape(&promise.id);
        let mut by = Vec::new();
        if !promise.items.is_empty() {
            by.push(format!("<a href=\"#?promise={id}\">{}</a>", plural(promise.items.len(), "case", "cases")));
        }
        by.extend(promise.tests.iter().map(|test| format!("<code>{}</code>", body(test))));
        by.extend(promise.untested.iter().map(|reason| format!("<em>{}</em>", body(reason))));
        let result = match promise.result {
            Some(verdict) => {
                let (class, sign, word) = look(verdict);
                format!("<td class=\"r {class}\">{sign} {word}</td>")
            }
            None if promise.tests.is_empty() => "<td class=\"r skip-run\">– untested</td>".to_owned(),
            None => "<td class=\"r skip-run\">– by tests</td>".to_owned(),
        };
        out.push_str(&format!(
            "<tr><td><code>{id}</code></td><td>{} <small>{}</small></td><td>{}</td>{result}</tr>\n",
            prose(&promise.sentence),
            body(&promise.document),
            by.join("<br>")
        ));
    }
    out.push_str("</tbody></table></details>\n");
}

/// The twelve sentences, from the table of `docs/security.md`.
fn invariant_sentences() -> Vec<(String, String)> {
    let text = std::fs::read_to_string(workspace().join("docs/security.md")).unwrap_or_default();
    let rows = text.lines().filter_map(|line| line.strip_prefix("| I")?.split_once(" | "));
    rows.map(|(number, rest)| (format!("I{number}"), rest.trim_end_matches('|').trim().to_owned())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_twelve_sentences_are_found() {
        let sentences = invariant_sentences();
        let names: Vec<&str> = sentences.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, crate::corpus::INVARIANTS);
        assert!(sentences.iter().all(|(_, sentence)| sentence.len() > 20 && !sentence.contains('|')));
    }
}
