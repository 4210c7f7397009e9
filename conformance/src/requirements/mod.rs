//! `docs/requirements.toml`: every promise the documents make, with what holds wit to it.
//!
//! A promise is found mechanically: a sentence of a document that uses a word such as "never", "only" or "refused" (see
//! [`sentences`]). Each must be listed with cases, tests or a reason for having none, or be listed as no promise. A
//! sentence that is listed must stand in its document word for word, an id must be that of an item, and a test must be in
//! the file it is said to be in; so the list can't drift from either side.

pub mod sentences;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use serde::Deserialize;

use crate::binary::workspace;
use crate::catalogue::Catalogue;
use crate::catalogue::filter::glob;

/// The least a reason must say, in bytes.
const REASON_BYTES: usize = 20;

/// The file.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Requirements {
    /// Documents that are not read, with the reason.
    pub unread: BTreeMap<String, String>,
    /// Generated tables, whose rows are promises too: the block's name, and the test that holds each row.
    pub generated: BTreeMap<String, String>,
    /// The promises.
    #[serde(rename = "requirement")]
    pub requirements: Vec<Requirement>,
    /// Sentences that sound like promises and are none.
    #[serde(rename = "other")]
    pub others: Vec<Other>,
}

/// One promise.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Requirement {
    /// Its id, never reused: `P-`, the document, a number.
    pub id: String,
    /// The document it stands in.
    pub document: String,
    /// The sentence, word for word.
    pub sentence: String,
    /// Items that hold wit to it: ids, or globs over them.
    #[serde(default)]
    pub cases: Vec<String>,
    /// Tests that do: `path/to/file.rs: name`.
    #[serde(default)]
    pub tests: Vec<String>,
    /// Why there is neither.
    pub untested: Option<String>,
}

/// A sentence that is no promise of wit's.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Other {
    /// The document it stands in.
    pub document: String,
    /// The sentence, word for word.
    pub sentence: String,
    /// What it is instead.
    pub is: Kind,
}

/// What a sentence is that is no promise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// It says why, or how something is done, and another sentence says what holds.
    Explanation,
    /// It says what is not promised.
    Disclaimer,
    /// It tells the reader what to do.
    Instruction,
    /// It says again what a listed sentence says.
    Repetition,
    /// It is about the world outside: a kernel, a client, an engine.
    World,
}

/// The file of this checkout.
#[must_use]
pub fn file() -> PathBuf {
    workspace().join("docs/requirements.toml")
}

impl Requirements {
    /// Reads the file.
    ///
    /// # Errors
    /// When it is not there or not as it must be.
    pub fn load() -> anyhow::Result<Self> {
        let text = fs::read_to_string(file())?;
        Ok(toml::from_str(&text)?)
    }
}

impl Requirement {
    /// The ids of its items.
    pub fn items<'a>(&'a self, ids: impl Iterator<Item = &'a str> + 'a) -> impl Iterator<Item = &'a str> + 'a {
        ids.filter(|id| self.cases.iter().any(|pattern| glob(pattern, id)))
    }
}

/// The documents that are read: the README and everything in `docs/` that is not excused, by path.
///
/// # Errors
/// When one cannot be read.
pub fn documents(requirements: &Requirements) -> anyhow::Result<BTreeMap<String, String>> {
    let mut documents = BTreeMap::new();
    documents.insert("README.md".to_owned(), fs::read_to_string(workspace().join("README.md"))?);
    for entry in fs::read_dir(workspace().join("docs"))? {
        let path = entry?.path();
        let name = format!("docs/{}", path.file_name().unwrap_or_default().to_string_lossy());
        if name.ends_with(".md") && !requirements.unread.contains_key(&name) {
            documents.insert(name, fs::read_to_string(path)?);
        }
    }
    Ok(documents)
}

/// Everything that is wrong, one line a fault.
///
/// # Errors
/// When a document cannot be read.
pub fn faults(requirements: &Requirements, catalogue: &Catalogue) -> anyhow::Result<Vec<String>> {
    let documents = documents(requirements)?;
    let mut faults = unlisted(requirements, &documents);
    let ids: Vec<&str> = catalogue.items.iter().map(|item| item.id.as_str()).collect();
    let mut seen = BTreeSet::new();
    for requirement in &requirements.requirements {
        let id = &requirement.id;
        if !seen.insert(id) {
            faults.push(format!("requirements.toml: {id} is given twice"));
        }
        for pattern in &requirement.cases {
            if !ids.iter().any(|item| glob(pattern, item)) {
                faults.push(format!("requirements.toml: {id} names the case {pattern}, which does not exist"));
            }
        }
        faults.extend(
            requirement.tests.iter().filter_map(|test| Some(format!("requirements.toml: {id}: {}", test_fault(test)?))),
        );
        let covered = !requirement.cases.is_empty() || !requirement.tests.is_empty();
        match (&requirement.untested, covered) {
            (None, false) => faults.push(format!("requirements.toml: {id} has no case, no test and no reason")),
            (Some(_), true) => faults.push(format!("requirements.toml: {id} is said to be untested, and has tests")),
            (Some(reason), false) if reason.trim().len() < REASON_BYTES => {
                faults.push(format!("requirements.toml: {id} is untested without a reason"));
            }
            _ => {}
        }
    }
    for (name, reason) in &requirements.unread {
        if !workspace().join(name).is_file() || reason.trim().len() < REASON_BYTES {
            faults.push(format!("requirements.toml: {name} is excused, and is not there or has no reason"));
        }
    }
    Ok(faults)
}

/// Promises that are not listed, and listed sentences that no document holds.
fn unlisted(requirements: &Requirements, documents: &BTreeMap<String, String>) -> Vec<String> {
    let mut faults = Vec::new();
    let promises = requirements.requirements.iter().map(|r| (r.document.as_str(), r.sentence.as_str()));
    let others = requirements.others.iter().map(|other| (other.document.as_str(), other.sentence.as_str()));
    let mut listed: BTreeSet<(&str, String)> = BTreeSet::new();
    for (document, sentence) in promises.chain(others) {
        if !listed.insert((document, sentences::plain(sentence))) {
            faults.push(format!("requirements.toml lists a sentence of {document} twice: {sentence}"));
        }
    }
    let mut blocks = BTreeSet::new();
    for (document, text) in documents {
        let read = sentences::read(text);
        blocks.extend(read.generated);
        let mut standing = BTreeSet::new();
        for sentence in read.sentences {
            let known = listed.contains(&(document.as_str(), sentence.text.clone()));
            if !known && sentences::is_promise(&sentence.text) {
                faults.push(format!(
                    "{document}:{}: a promise that docs/requirements.toml does not list: {}",
                    sentence.line, sentence.text
                ));
            }
            standing.insert(sentence.text);
        }
        for (_, sentence) in listed.iter().filter(|(of, _)| *of == document.as_str()) {
            if !standing.contains(sentence) {
                faults.push(format!("requirements.toml lists a sentence that {document} does not hold: {sentence}"));
            }
        }
    }
    for (document, _) in listed.iter().filter(|(document, _)| !documents.contains_key(*document)) {
        faults.push(format!("requirements.toml lists a sentence of {document}, which is not read"));
    }
    for block in &blocks {
        match requirements.generated.get(block) {
            Some(test) => faults.extend(test_fault(test).map(|fault| format!("requirements.toml: {block}: {fault}"))),
            None => faults.push(format!("requirements.toml does not say what holds the rows of the table {block}")),
        }
    }
    for block in requirements.generated.keys().filter(|block| !blocks.contains(*block)) {
        faults.push(format!("requirements.toml names the table {block}, which no document holds"));
    }
    faults
}

/// What is wrong with the name of a test, if anything.
fn test_fault(test: &str) -> Option<String> {
    let Some((path, name)) = test.split_once(": ") else { return Some(format!("{test} is not `file: name`")) };
    match fs::read_to_string(workspace().join(path)) {
        Ok(text) if holds_test(&text, name) => None,
        Ok(_) => Some(format!("{path} has no {name}")),
        Err(error) => Some(format!("{path}: {error}")),
    }
}

/// Whether a source file has a function of this name, or a text that holds it: the name of a trial, or of a row.
/// Comments do not count, nor does a use of the name.
fn holds_test(source: &str, name: &str) -> bool {
    let name = ["async fn ", "pub fn ", "fn "].iter().find_map(|word| name.strip_prefix(word)).unwrap_or(name).trim();
    let function = format!("fn {name}(");
    let lines = source.lines().map(str::trim_start).filter(|line| !line.starts_with("//"));
    let texts = |line: &str| line.split('"').skip(1).step_by(2).any(|text| text.contains(name));
    !name.is_empty() && lines.into_iter().any(|line| line.contains(&function) || texts(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn requirements(text: &str) -> Requirements {
        toml::from_str(text).unwrap_or_else(|error| panic!("{error}"))
    }

    const EMPTY: &str = "requirement = []\nother = []\n[unread]\n[generated]\n";

    fn found(listed: &str, document: &str) -> Vec<String> {
        let documents = [("docs/a.md".to_owned(), document.to_owned())].into();
        unlisted(&requirements(listed), &documents)
    }

    #[test]
    fn a_promise_must_be_listed_and_what_is_listed_must_stand() {
        assert!(found(EMPTY, "It works.\n").is_empty());
        let faults = found(EMPTY, "# Title\n\nIt works. A token is never\nshown.\n");
        assert_eq!(faults.len(), 1, "{faults:?}");
        assert!(faults.concat().contains("docs/a.md:3: a promise"), "{faults:?}");
        let listed = "other = []\n[unread]\n[generated]\n[[requirement]]\nid = 'P-1'\ndocument = 'docs/a.md'\n\
                      sentence = 'A token is never shown.'\n";
        assert!(found(listed, "A token is never\nshown.\n").is_empty());
        let faults = found(listed, "A token is hardly ever shown.\n");
        assert!(faults.concat().contains("does not hold"), "{faults:?}");
    }

    #[test]
    fn tables_that_are_generated_need_a_test() {
        let document = "<!-- generated: codes -->\n| a | never |\n<!-- end generated -->\n";
        assert!(found(EMPTY, document).concat().contains("the table codes"));
        let test = "conformance/src/requirements/mod.rs: tables_that_are_generated_need_a_test";
        let listed = format!("requirement = []\nother = []\n[unread]\n[generated]\ncodes = '{test}'\n");
        assert!(found(&listed, document).is_empty());
        assert!(found(&listed, "").concat().contains("no document holds"));
    }

    #[test]
    fn the_name_of_a_test_is_looked_up() {
        assert_eq!(test_fault("conformance/src/requirements/mod.rs: fn test_fault"), None);
        assert!(test_fault("conformance/src/requirements/mod.rs").is_some());
        assert!(test_fault(&format!("conformance/src/requirements/mod.rs: {}_{}", "no", "such")).is_some());
        assert!(test_fault("nowhere.rs: x").is_some());
        let source = "// fn only_said() {}\nfn other() { called(); trial(\"a-name/of one\"); }\n";
        for (name, holds) in [
            ("other", true),
            ("fn other", true),
            ("a-name/of", true),
            ("only_said", false),
            ("fn only_said", false),
            ("called", false),
            ("fn ", false),
            ("fn", false),
        ] {
            assert_eq!(holds_test(source, name), holds, "{name}");
        }
    }
}
