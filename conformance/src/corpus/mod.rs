//! The corpus: every case of `adversarial-scripts/`, read, checked and ordered by id.
//!
//! A case is one file that an auditor can read on its own (`<family>/<id>.js`, or `frames/<direction>/<id>.frames`):
//! a front-matter block in a comment, then the attack. The loader is strict, because a case that is misread is a
//! case that passes for the wrong reason: unknown fields, undefined or unused flags, ids that repeat or differ from
//! the file's name, and invariants that do not exist are all errors, and all are reported at once.

mod boundary;
mod case;
mod expect;
mod flags;
mod source;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

pub use boundary::{Boundary, Edge, Level};
pub use case::{Act, Background, Case, Direction, Host, Kind, Setup, Step, Upstream};
pub use expect::{Expectation, Observed, Outcome};
pub use flags::Flag;
pub use source::Generate;

/// The invariants of DESIGN §2.
pub const INVARIANTS: &[&str] = &["I1", "I2", "I3", "I4", "I5", "I6", "I7", "I8", "I9", "I10", "I11", "I12"];

/// Everything read from a corpus directory.
#[derive(Debug)]
pub struct Corpus {
    /// The cases, by id.
    pub cases: Vec<Case>,
    /// The flags of `flags.toml`, by name.
    pub flags: BTreeMap<String, Flag>,
}

/// What is wrong with a corpus, one line a fault, each naming the file to open.
#[derive(Debug, thiserror::Error)]
#[error("the corpus has {} fault(s):\n{}", .0.len(), .0.join("\n"))]
pub struct CorpusError(pub Vec<String>);

/// The corpus of this checkout.
#[must_use]
pub fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../adversarial-scripts")
}

/// Reads a whole corpus.
///
/// # Errors
/// Every fault found, not only the first.
pub fn load(root: &Path) -> Result<Corpus, CorpusError> {
    let mut faults = Vec::new();
    let flags = flags::load(&root.join("flags.toml")).unwrap_or_else(|fault| {
        faults.push(fault);
        BTreeMap::new()
    });
    let mut files = Vec::new();
    collect(root, &mut files, &mut faults);
    files.sort();

    let mut cases: Vec<Case> = Vec::with_capacity(files.len());
    for file in &files {
        match Case::read(root, file) {
            Ok(case) => cases.push(case),
            Err(fault) => faults.push(format!("{}: {fault}", shown(root, file))),
        }
    }
    cases.sort_by(|a, b| a.id.cmp(&b.id));
    faults.extend(cross_check(&cases, &flags));
    if faults.is_empty() { Ok(Corpus { cases, flags }) } else { Err(CorpusError(faults)) }
}

/// What no single file can show: repeated ids, undefined flags, unused flags.
fn cross_check(cases: &[Case], flags: &BTreeMap<String, Flag>) -> Vec<String> {
    let mut faults = Vec::new();
    for pair in cases.windows(2) {
        if let [a, b] = pair
            && a.id == b.id
        {
            faults.push(format!("{}: the id {} is also used by {}", b.shown(), b.id, a.shown()));
        }
    }
    for case in cases {
        for flag in &case.flags {
            if !flags.contains_key(flag) {
                faults.push(format!("{}: flag {flag} is not defined in flags.toml", case.shown()));
            }
        }
    }
    let used: BTreeSet<&String> = cases.iter().flat_map(|case| &case.flags).collect();
    for name in flags.keys() {
        if !used.contains(name) {
            faults.push(format!("flags.toml: flag {name} is not used by any case"));
        }
    }
    faults
}

fn collect(directory: &Path, files: &mut Vec<PathBuf>, faults: &mut Vec<String>) {
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(error) => return faults.push(format!("{}: {error}", directory.display())),
    };
    for entry in entries {
        match entry.map(|entry| entry.path()) {
            Ok(path) if path.is_dir() => collect(&path, files, faults),
            Ok(path) => {
                let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
                match extension {
                    "js" | "frames" => files.push(path),
                    "md" | "toml" => {}
                    _ => faults.push(format!("{}: a corpus holds .js, .frames, .md and .toml files", path.display())),
                }
            }
            Err(error) => faults.push(format!("{}: {error}", directory.display())),
        }
    }
}

fn shown(root: &Path, file: &Path) -> String {
    file.strip_prefix(root).unwrap_or(file).display().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    type TestResult = Result<(), Box<dyn std::error::Error>>;

    const FLAGS: &str = "[one]\nattacks = \"a\"\neffect = \"b\"\nlinks = []\n";

    fn case(id: &str, flag: &str) -> String {
        format!(
            "/*---\nid = \"{id}\"\ntitle = \"t\"\nfamily = \"f\"\nthreat = \"Long enough to explain something.\"\n\
             invariants = [\"I4\"]\nflags = [\"{flag}\"]\n[expect]\nvalue = '1'\n---*/\nreturn 1\n"
        )
    }

    fn corpus(files: &[(&str, String)]) -> Result<Result<Corpus, CorpusError>, Box<dyn std::error::Error>> {
        let root = tempfile::tempdir()?;
        fs::write(root.path().join("flags.toml"), FLAGS)?;
        for (name, text) in files {
            let path = root.path().join(name);
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::write(path, text)?;
        }
        Ok(load(root.path()))
    }

    fn fault(files: &[(&str, String)]) -> Result<String, Box<dyn std::error::Error>> {
        Ok(corpus(files)?.err().ok_or("the corpus was accepted")?.to_string())
    }

    #[test]
    fn a_good_corpus_is_read_in_id_order() -> TestResult {
        let corpus = corpus(&[("f/b.js", case("b", "one")), ("f/a.js", case("a", "one"))])??;
        let ids: Vec<_> = corpus.cases.iter().map(|case| case.id.as_str()).collect();
        assert_eq!(ids, ["a", "b"]);
        assert_eq!(corpus.cases.first().map(Case::source).as_deref(), Some("return 1"));
        Ok(())
    }

    #[test]
    fn ids_are_unique_and_name_their_file() -> TestResult {
        let other = case("a", "one").replace("family = \"f\"", "family = \"g\"");
        assert!(fault(&[("f/a.js", case("a", "one")), ("g/a.js", other)])?.contains("also used by"));
        assert!(fault(&[("f/b.js", case("a", "one"))])?.contains("does not match the file name"));
        assert!(fault(&[("g/a.js", case("a", "one"))])?.contains("does not match the directory"));
        Ok(())
    }

    #[test]
    fn flags_are_defined_and_used() -> TestResult {
        let text = fault(&[("f/a.js", case("a", "two"))])?;
        assert!(text.contains("flag two is not defined") && text.contains("flag one is not used"), "{text}");
        Ok(())
    }

    #[test]
    fn this_checkout_has_a_good_corpus() -> TestResult {
        let corpus = load(&directory()).map_err(|error| error.to_string())?;
        assert!(corpus.cases.len() >= 300, "{} cases", corpus.cases.len());
        Ok(())
    }

    #[test]
    fn stray_files_are_faults() -> TestResult {
        assert!(fault(&[("f/a.js", case("a", "one")), ("f/a.js.orig", String::new())])?.contains("a.js.orig"));
        Ok(())
    }
}
