//! The reports: valid in the eyes of those who read them, and proof against the corpus, which is hostile text.

use std::collections::BTreeSet;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use conformance::catalogue::perform::{Ran, Verdict};
use conformance::catalogue::{Catalogue, Item};
use conformance::report::head::Layer;
use conformance::report::{Format, Head, RunReport};
use serde_json::Value;

/// Everything that a text could try against a page, an XML document, a table, a terminal and a log.
const HOSTILE: &str = "</script></style></title></pre><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\"> \
    <svg onload=document.title='owned'> \" onmouseover=\"x\" ' autofocus onfocus='x ]]> <!-- --> &lt; &#0; [x](javascript:document.title=1) \
    {0} | a | ``` \u{0}\u{1}\u{8}\u{b}\u{1b}[31m\u{7f}\u{85}\u{202e}\u{2028}\u{feff}\u{fffe}\u{ffff}\r\n# heading\n";

fn head(more: &str) -> Head {
    let text = |name: &str| format!("{name} {more}");
    Head {
        date: "2026-12-01T00:00:00Z".to_owned(),
        version: text("version"),
        binary_sha256: "0".repeat(64),
        engine: text("engine"),
        corpus_sha256: "1".repeat(64),
        platform: text("platform"),
        kernel: text("kernel"),
        sandbox_available: true,
        layers: vec![Layer { name: text("layer"), state: text("state"), evidence: text("evidence") }],
        selection: text("selection"),
    }
}

fn ran(verdict: Verdict, text: &str) -> Ran {
    let faults = if verdict == Verdict::Failed { vec![text.to_owned(), "second".to_owned()] } else { Vec::new() };
    let (got, elapsed) = (text.to_owned(), Duration::from_millis(1234));
    Ran { verdict, got, elapsed, faults, transcript: vec![text.to_owned(), text.to_owned()] }
}

/// A report of all items, in which every third failed, whose every text is followed by hostile text.
fn hostile() -> Result<RunReport> {
    let mut catalogue = Catalogue::load()?;
    for item in &mut catalogue.items {
        let texts = [
            &mut item.id,
            &mut item.title,
            &mut item.family,
            &mut item.threat,
            &mut item.text,
            &mut item.front,
            &mut item.file,
        ];
        texts.into_iter().for_each(|text| text.push_str(HOSTILE));
        for list in [&mut item.expected, &mut item.refs, &mut item.codes, &mut item.invariants, &mut item.flags] {
            list.push(HOSTILE.to_owned());
        }
        item.forges = Some(HOSTILE.to_owned());
    }
    let flags: Vec<String> = catalogue.flags.keys().cloned().collect();
    for name in flags {
        if let Some(flag) = catalogue.flags.get_mut(&name) {
            flag.attacks.push_str(HOSTILE);
        }
    }
    let results = catalogue.items.iter().enumerate().map(|(index, item)| {
        let verdict = Verdict::ALL[index % 3];
        (item, ran(verdict, HOSTILE))
    });
    RunReport::new(head(HOSTILE), &catalogue, results.collect())
}

/// A report as a good run leaves it.
fn good(catalogue: &Catalogue) -> Result<RunReport> {
    let results: Vec<(&Item, Ran)> =
        catalogue.items.iter().map(|item| (item, ran(Verdict::Passed, "value 1"))).collect();
    RunReport::new(head("1"), catalogue, results)
}

/// Element names of a page, as a tokenizer sees them outside of the page's own script and style.
fn tags(page: &str) -> Result<Vec<String>> {
    let mut tags = Vec::new();
    let mut rest = page;
    while let Some((_, after)) = rest.split_once('<') {
        // An attribute's value holds neither bracket, since both are escaped there.
        let (tag, after) = after.split_once('>').context("a tag has no end")?;
        ensure!(!tag.contains('<'), "a bracket in a tag: {tag}");
        tags.push(tag.to_owned());
        rest = after;
        for own in ["script", "style"] {
            if tag == own {
                rest = rest.split_once(&format!("</{own}>")).context("the page's own part has no end")?.1;
            }
        }
    }
    Ok(tags)
}

#[test]
fn no_text_of_the_corpus_becomes_part_of_the_page() -> Result<()> {
    let page = hostile()?.render(Format::Html)?;
    let known: BTreeSet<&str> = "!doctype html head meta title style body a header p h1 svg rect dl div dt dd h2 h3 ul li b small main section table thead \
        tbody tr th td span details summary code pre em br form label input select option output button footer script"
        .split_whitespace()
        .collect();
    let mut counts = (0, 0);
    for tag in tags(&page)? {
        let name =
            tag.trim_start_matches('/').split(|c: char| c.is_whitespace() || c == '/').next().unwrap_or_default();
        ensure!(known.contains(name), "a foreign element: <{tag}>");
        counts.0 += usize::from(tag == "script");
        counts.1 += usize::from(tag == "style");
        // Attributes are name="value", and no name is a handler's.
        let attributes = tag.split('"').step_by(2);
        for names in attributes {
            let handler = names
                .split_whitespace()
                .any(|word| word.starts_with("on") || word.starts_with("style=") || word.starts_with("src="));
            ensure!(!handler, "<{tag}>");
        }
    }
    ensure!(counts == (1, 1), "one script and one style, the page's own: {counts:?}");
    for character in ['\0', '\u{1b}', '\u{202e}', '\u{feff}', '\u{fffe}', '\u{85}'] {
        ensure!(!page.contains(character), "{character:?} is in the page");
    }
    Ok(())
}

#[test]
fn the_page_asks_for_nothing_and_runs_nothing_but_its_own() -> Result<()> {
    let page = good(&Catalogue::load()?)?.render(Format::Html)?;
    let policy = page.split_once("Content-Security-Policy\" content=\"").context("no policy")?.1;
    let policy = policy.split_once('"').context("no end")?.0;
    ensure!(
        policy.starts_with("default-src 'none'; style-src 'sha256-") && policy.contains("script-src 'sha256-"),
        "{policy}"
    );
    ensure!(!policy.contains("unsafe") && !policy.contains("http"), "{policy}");
    for tag in tags(&page)? {
        ensure!(!tag.contains("src=") && !tag.contains("href=\"http") && !tag.starts_with("link"), "<{tag}>");
    }
    // Hashes of what stands between the tags, as a browser computes them.
    use base64::Engine as _;
    use sha2::Digest as _;
    for part in ["script", "style"] {
        let text = page.split_once(&format!("<{part}>")).context("no part")?.1;
        let text = text.split_once(&format!("</{part}>")).context("no end")?.0;
        let hash = base64::engine::general_purpose::STANDARD.encode(sha2::Sha256::digest(text));
        ensure!(policy.contains(&format!("{part}-src 'sha256-{hash}'")), "{part} {hash}");
    }
    Ok(())
}

#[test]
fn the_page_stays_small_and_shows_everything() -> Result<()> {
    let catalogue = Catalogue::load()?;
    let mut report = good(&catalogue)?;
    // As long as transcripts are.
    for row in &mut report.items {
        row.transcript = vec!["x".repeat(400); 9];
    }
    let page = report.render(Format::Html)?;
    ensure!(page.len() < 5_000_000, "{} bytes", page.len());
    for item in &catalogue.items {
        ensure!(page.contains(&format!("id=\"{}\"", item.id)), "{} is not shown", item.id);
    }
    Ok(())
}

#[test]
fn sarif_is_valid_and_points_to_the_files_of_what_failed() -> Result<()> {
    let schema: Value = serde_json::from_str(include_str!("data/sarif-2.1.0.schema.json"))?;
    let validator = jsonschema::validator_for(&schema).map_err(|error| anyhow::anyhow!("{error}"))?;
    let catalogue = Catalogue::load()?;
    for report in [hostile()?, good(&catalogue)?] {
        let sarif: Value = serde_json::from_str(&report.render(Format::Sarif)?)?;
        let errors: Vec<String> = validator.iter_errors(&sarif).map(|error| error.to_string()).take(3).collect();
        ensure!(errors.is_empty(), "{errors:?}");
        let results = sarif.pointer("/runs/0/results").and_then(Value::as_array).context("no results")?;
        ensure!(results.len() == report.counts.failed);
        for result in results {
            let index = result.get("ruleIndex").and_then(Value::as_u64).context("no index")?;
            let rule = sarif.pointer(&format!("/runs/0/tool/driver/rules/{index}/id"));
            ensure!(rule == result.get("ruleId"), "a rule of another name");
            let uri = result.pointer("/locations/0/physicalLocation/artifactLocation/uri").and_then(Value::as_str);
            let uri = uri.context("no file")?;
            ensure!(uri.bytes().all(|byte| byte.is_ascii_graphic()) && !uri.contains([' ', '<', '"', ':']), "{uri}");
        }
    }
    // The schema bites.
    let broken = serde_json::json!({ "version": "2.1.0", "runs": [{ "results": [] }] });
    ensure!(!validator.is_valid(&broken));
    Ok(())
}

#[test]
fn junit_is_xml_and_its_numbers_agree() -> Result<()> {
    let report = hostile()?;
    let text = report.render(Format::Junit)?;
    let options = roxmltree::ParsingOptions { nodes_limit: u32::MAX, ..roxmltree::ParsingOptions::default() };
    let document = roxmltree::Document::parse_with_options(&text, options)?;
    let root = document.root_element();
    let number =
        |node: &roxmltree::Node<'_, '_>, name: &str| node.attribute(name).and_then(|text| text.parse::<usize>().ok());
    ensure!(number(&root, "tests") == Some(report.counts.total), "tests");
    let count = |name: &str| root.descendants().filter(|node| node.has_tag_name(name)).count();
    ensure!(count("testcase") == report.counts.total);
    ensure!(count("failure") == report.counts.failed && number(&root, "failures") == Some(report.counts.failed));
    ensure!(count("skipped") == report.counts.not_run && number(&root, "skipped") == Some(report.counts.not_run));
    for suite in root.children().filter(|node| node.has_tag_name("testsuite")) {
        let cases = suite.children().filter(|node| node.has_tag_name("testcase")).count();
        ensure!(number(&suite, "tests") == Some(cases));
    }
    let names: BTreeSet<&str> =
        root.descendants().filter_map(|node| node.has_tag_name("testcase").then(|| node.attribute("name"))?).collect();
    ensure!(names.len() == report.counts.total, "each test has a name of its own");
    Ok(())
}

#[test]
fn markdown_keeps_its_tables_and_no_markup_of_others() -> Result<()> {
    let report = hostile()?;
    let text = report.render(Format::Md)?;
    let table = text.split_once("## Every item").context("no table")?.1;
    let rows: Vec<&str> = table.lines().filter(|line| line.starts_with('|')).skip(2).collect();
    ensure!(rows.len() == report.counts.total, "{} rows", rows.len());
    for row in rows {
        ensure!(row.replace("\\|", "").matches('|').count() == 7, "{row}");
        ensure!(!row.contains('<'), "{row}");
    }
    Ok(())
}

#[test]
fn json_is_the_whole_model() -> Result<()> {
    let report = hostile()?;
    let text = report.render(Format::Json)?;
    let read: RunReport = serde_json::from_str(&text)?;
    ensure!(read.counts == report.counts && read.items.len() == report.items.len());
    ensure!(read.render(Format::Json)? == text, "another report is read back");
    Ok(())
}

#[test]
fn what_was_not_run_is_never_counted_as_passed() -> Result<()> {
    let catalogue = Catalogue::load()?;
    let results = catalogue.items.iter().map(|item| (item, Ran::not_run("no host for it")));
    let report = RunReport::new(head("1"), &catalogue, results.collect())?;
    ensure!(report.counts.passed == 0 && report.counts.not_run == catalogue.items.len());
    ensure!(report.promises.iter().all(|promise| promise.result != Some(Verdict::Passed)));
    ensure!(report.render(Format::Md)?.contains("0 passed, 0 failed"));
    Ok(())
}
