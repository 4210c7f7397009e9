//! The lower part of the page: filters, and each item with what it defends, its attack and what came of it.

use std::collections::BTreeMap;

use super::{body, escape, key, look};
use crate::catalogue::Place;
use crate::catalogue::perform::Verdict;
use crate::report::{Counts, Row, RunReport};

/// The most of an attack that the page shows; the file has the rest.
const ATTACK_CHARACTERS: usize = 4000;
/// The most lines of a transcript, and the most of each, of what failed and of all else; the JSON report has the rest.
const FAILED_TRANSCRIPT: (usize, usize) = (80, 2000);
const OTHER_TRANSCRIPT: (usize, usize) = (8, 140);

pub(super) fn write(out: &mut String, report: &RunReport) {
    out.push_str("<section id=\"items\">\n<h2>Cases</h2>\n");
    filters(out, report);
    let mut promises: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for promise in &report.promises {
        for item in &promise.items {
            promises.entry(item).or_default().push(&promise.id);
        }
    }
    // What failed comes first: it is what a reader came for.
    let mut rows: Vec<&Row> = report.items.iter().collect();
    rows.sort_by_key(|row| match row.result {
        Verdict::Failed => 0,
        Verdict::NotRun => 1,
        Verdict::Passed => 2,
    });
    for row in rows {
        let held = promises.get(row.id.as_str()).map(Vec::as_slice).unwrap_or_default();
        item(out, row, held);
    }
    out.push_str("<p id=\"none\" hidden>Nothing matches. <button type=\"button\" data-do=\"reset\">Show everything</button></p>\n</section>\n</main>\n");
}

fn filters(out: &mut String, report: &RunReport) {
    out.push_str(
        "<form id=\"filters\" role=\"search\" aria-label=\"Filter the cases\">\n<label class=\"grow\">text <input type=\"search\" \
         name=\"text\" placeholder=\"id, title, threat, source …  (press /)\" autocomplete=\"off\" spellcheck=\"false\"></label>\n",
    );
    let results = Verdict::ALL.map(|verdict| (key(verdict), report.counts.get(verdict)));
    let results = results.into_iter().map(|(name, count)| option(name, &name.replace('_', " "), count));
    select(out, "result", results.collect());
    let plain =
        |groups: Vec<(&str, Counts)>| groups.iter().map(|(name, counts)| option(name, name, counts.total)).collect();
    select(out, "family", plain(report.families()));
    select(out, "invariant", plain(report.groups(|row| row.invariants.iter().map(String::as_str).collect())));
    select(out, "flag", plain(report.groups(|row| row.flags.iter().map(String::as_str).collect())));
    select(out, "code", plain(report.groups(|row| codes(row).collect())));
    let places = report.groups(|row| vec![row.place.as_str()]);
    let places = Place::ALL.into_iter().filter_map(|place| {
        let (_, counts) = places.iter().find(|(name, _)| *name == place.name())?;
        Some(option(place.name(), place.name(), counts.total))
    });
    select(out, "place", places.collect());
    let promises = report.promises.iter().filter(|promise| !promise.items.is_empty());
    select(out, "promise", promises.map(|promise| option(&promise.id, &promise.id, promise.items.len())).collect());
    out.push_str(
        "<div class=\"acts\"><output id=\"count\" role=\"status\"></output><button type=\"button\" data-do=\"open\">expand shown</button>\
         <button type=\"button\" data-do=\"close\">collapse</button><button type=\"button\" data-do=\"reset\">reset</button></div>\n</form>\n",
    );
}

/// Codes an item is about: those it accepts, and the one it tries to fake.
fn codes(row: &Row) -> impl Iterator<Item = &str> {
    row.codes.iter().map(String::as_str).chain(row.forges.as_deref())
}

fn option(value: &str, shown: &str, count: usize) -> String {
    format!("<option value=\"{}\">{} ({count})</option>", escape(value), escape(shown))
}

fn select(out: &mut String, name: &str, options: Vec<String>) {
    out.push_str(&format!(
        "<label>{name} <select name=\"{name}\"><option value=\"\">any</option>{}</select></label>\n",
        options.concat()
    ));
}

fn item(out: &mut String, row: &Row, promises: &[&str]) {
    let (class, sign, word) = look(row.result);
    let open = if row.result == Verdict::Failed { " open" } else { "" };
    let codes: Vec<&str> = codes(row).collect();
    out.push_str(&format!(
        "<details class=\"item {class}\" id=\"{id}\"{open} data-result=\"{key}\" data-family=\"{family}\" data-place=\"{place}\" \
         data-invariant=\"{invariants}\" data-flag=\"{flags}\" data-code=\"{codes}\" data-promise=\"{promises}\">\n<summary><span \
         class=\"v\">{sign} {word}</span><code class=\"id\">{id}</code><span class=\"t\">{title}</span><span \
         class=\"f\">{family}</span></summary>\n<div class=\"body\">\n",
        id = escape(&row.id),
        key = key(row.result),
        family = escape(&row.family),
        place = escape(&row.place),
        invariants = escape(&row.invariants.join(" ")),
        flags = escape(&row.flags.join(" ")),
        codes = escape(&codes.join(" ")),
        promises = escape(&promises.join(" ")),
        title = escape(&row.title),
    ));
    outcome(out, row);
    defends(out, row, promises);
    attack(out, row);
    out.push_str("</div></details>\n");
}

fn outcome(out: &mut String, row: &Row) {
    out.push_str("<dl class=\"outcome\">");
    for fault in &row.faults {
        out.push_str(&format!(
            "<dt class=\"fail\">fault</dt><dd class=\"fail\"><pre>{}</pre></dd>",
            body(&cut(fault, ATTACK_CHARACTERS))
        ));
    }
    let expected: Vec<String> =
        row.expected.iter().map(|one| format!("<code>{}</code>", body(&cut(one, 600)))).collect();
    out.push_str(&format!("<dt>expected</dt><dd>{}</dd>", expected.join(" or ")));
    let got = body(&cut(&row.got, 600));
    match row.result {
        Verdict::NotRun => out.push_str(&format!("<dt>not run</dt><dd>{got}</dd>")),
        _ => out.push_str(&format!("<dt>got</dt><dd><code>{got}</code> <small>after {} ms</small></dd>", row.ms)),
    }
    out.push_str("</dl>\n");
}

fn defends(out: &mut String, row: &Row, promises: &[&str]) {
    out.push_str(&format!(
        "<div class=\"defends\"><h3>What it defends</h3><p>{}</p><p class=\"chips\">",
        body(&row.threat)
    ));
    for name in &row.invariants {
        let name = escape(name);
        out.push_str(&format!("<a href=\"#{name}\">{name}</a> "));
    }
    for name in &row.flags {
        let name = escape(name);
        out.push_str(&format!("<a href=\"#?flag={name}\">{name}</a> "));
    }
    if let Some(code) = &row.forges {
        let code = escape(code);
        out.push_str(&format!("<a href=\"#?code={code}\">tries to forge {code}</a> "));
    }
    for id in promises {
        let id = escape(id);
        out.push_str(&format!("<a href=\"#?promise={id}\">{id}</a> "));
    }
    out.push_str("</p>");
    if !row.refs.is_empty() {
        out.push_str(&format!("<p class=\"refs\">{}</p>", body(&row.refs.join(" · "))));
    }
    out.push_str("</div>\n");
}

fn attack(out: &mut String, row: &Row) {
    let text = if row.text.is_empty() { "(nothing is sent)" } else { &row.text };
    out.push_str(&format!(
        "<div class=\"attack\"><h3>The attack <small>{}</small></h3><pre tabindex=\"0\">{}</pre>",
        body(&row.file),
        body(&cut(text, ATTACK_CHARACTERS))
    ));
    if !row.front.is_empty() {
        out.push_str(&format!(
            "<details><summary>front-matter</summary><pre tabindex=\"0\">{}</pre></details>",
            body(&cut(&row.front, ATTACK_CHARACTERS))
        ));
    }
    if !row.transcript.is_empty() {
        let open = if row.result == Verdict::Failed { " open" } else { "" };
        let (most, characters) = if row.result == Verdict::Failed { FAILED_TRANSCRIPT } else { OTHER_TRANSCRIPT };
        let skipped = row.transcript.len().saturating_sub(most);
        let mut lines: Vec<String> = row.transcript.iter().take(most).map(|line| cut(line, characters)).collect();
        if skipped > 0 {
            lines.push(format!("… {skipped} more lines in the JSON report"));
        }
        out.push_str(&format!(
            "<details{open}><summary>transcript</summary><pre tabindex=\"0\">{}</pre></details>",
            body(&lines.join("\n"))
        ));
    }
    out.push_str("</div>\n");
}

/// At most so many characters, and how many bytes are left out.
fn cut(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((end, _)) => {
            format!("{}… ({} bytes more)", text.get(..end).unwrap_or_default(), text.len() - end)
        }
        None => text.to_owned(),
    }
}
