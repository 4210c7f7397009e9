//! The report as one page for an auditor: it needs nothing but a browser, and asks for nothing else.
//!
//! Every text of the corpus is hostile, and a report is opened with an auditor's rights. Two walls stand between them:
//! all text is escaped where it is written ([`escape`]), and the page's own policy lets no script and no style run but
//! the two it was made with, by their hashes, and lets nothing be loaded. There are therefore no `style` attributes and
//! no event attributes here; figures are drawn with the attributes of SVG.

mod items;
mod summary;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::Digest as _;

use super::RunReport;
use crate::catalogue::perform::Verdict;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

pub(super) fn render(report: &RunReport) -> String {
    let counts = report.counts;
    let verdict = if report.holds() { "holds" } else { "FAILED" };
    let title = format!("{verdict}: {} passed, {} failed, {} not run", counts.passed, counts.failed, counts.not_run);
    let mut out = String::with_capacity(report.items.len() * 3000);
    out.push_str("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    out.push_str(&format!(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src '{}'; script-src '{}'; \
         base-uri 'none'; form-action 'none'\">\n",
        source_hash(STYLE),
        source_hash(SCRIPT)
    ));
    out.push_str("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n");
    out.push_str(
        "<meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"color-scheme\" content=\"light dark\">\n",
    );
    out.push_str(&format!("<title>{} · wit conformance</title>\n", escape(&title)));
    out.push_str(&format!("<style>{STYLE}</style>\n</head>\n<body>\n"));
    out.push_str("<a class=\"skip\" href=\"#items\">Skip to the cases</a>\n");
    summary::write(&mut out, report);
    items::write(&mut out, report);
    out.push_str("<footer>Made by <code>cargo run -p conformance -- report --format html</code>. One file: it loads nothing and sends nothing.</footer>\n");
    out.push_str(&format!("<script>{SCRIPT}</script>\n</body>\n</html>\n"));
    out
}

/// How a policy names an inline script or style: by the hash of its exact text.
fn source_hash(text: &str) -> String {
    format!("sha256-{}", STANDARD.encode(sha2::Sha256::digest(text.as_bytes())))
}

/// Text for an element, or for an attribute in either kind of quotes. What a reader could not see is shown by its
/// picture or number.
fn escape(text: &str) -> String {
    body(text).replace('"', "&quot;").replace('\'', "&#39;")
}

/// Text for an element alone, where quotes mean nothing; transcripts are full of them.
fn body(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '\n' => out.push('\n'),
            c => out.push_str(&shown(c)),
        }
    }
    out
}

/// A character as a reader sees it: what has no look, or changes the look of others (control characters, directional
/// overrides, the byte order mark), by its picture or its number. Tabs stay.
pub(super) fn shown(c: char) -> String {
    match c {
        '\t' => c.to_string(),
        '\0'..='\u{1f}' | '\u{7f}' => visible(c),
        '\u{80}'..='\u{9f}'
        | '\u{ad}'
        | '\u{61c}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e0fff}' => {
            format!("\\u{{{:x}}}", u32::from(c))
        }
        c if u32::from(c) & 0xfffe == 0xfffe => format!("\\u{{{:x}}}", u32::from(c)),
        c => c.to_string(),
    }
}

/// The picture of a control character.
pub(super) fn visible(c: char) -> String {
    let number = u32::from(c);
    let picture = match number {
        0..=0x1f => char::from_u32(0x2400 + number),
        0x7f => Some('\u{2421}'),
        _ => None,
    };
    picture.map_or_else(|| format!("\\u{{{number:x}}}"), String::from)
}

/// The class, sign and word of a verdict; colour is never the only sign.
const fn look(verdict: Verdict) -> (&'static str, &'static str, &'static str) {
    match verdict {
        Verdict::Passed => ("pass", "✓", "passed"),
        Verdict::Failed => ("fail", "✗", "FAILED"),
        Verdict::NotRun => ("skip-run", "–", "not run"),
    }
}

/// The word of a verdict in attributes and the address.
const fn key(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Passed => "passed",
        Verdict::Failed => "failed",
        Verdict::NotRun => "not_run",
    }
}

/// A number with its thousands apart.
fn number(value: usize) -> String {
    let digits = value.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push('\u{2009}');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_gets_out_of_an_element_or_an_attribute() {
        let hostile = "</script><img src=x onerror=alert(1)>\"' onload='x'&amp;\0\u{1b}\u{202e}\u{feff}";
        let escaped = escape(hostile);
        assert!(!escaped.contains(['<', '>', '"', '\'', '\0', '\u{1b}', '\u{202e}', '\u{feff}']), "{escaped}");
        assert!(!body(hostile).contains(['<', '>', '\0', '\u{1b}', '\u{202e}']), "{}", body(hostile));
        assert!(escaped.contains("&amp;amp;") && escaped.contains("␀␛\\u{202e}\\u{feff}"), "{escaped}");
        assert_eq!(escape("a\tb\nc ü 🦀"), "a\tb\nc ü 🦀");
    }

    #[test]
    fn the_page_s_own_parts_cannot_end_early() {
        assert!(!SCRIPT.to_lowercase().contains("</script") && !SCRIPT.contains("<!--"));
        assert!(!STYLE.to_lowercase().contains("</style"));
        for way_out in
            ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "fetch("]
        {
            assert!(!SCRIPT.contains(way_out), "{way_out}");
        }
        assert!(!STYLE.contains("url(") && !STYLE.contains("@import"));
    }

    #[test]
    fn numbers_are_grouped() {
        assert_eq!([number(7), number(1543), number(12_345_678)], ["7", "1\u{2009}543", "12\u{2009}345\u{2009}678"]);
    }
}
