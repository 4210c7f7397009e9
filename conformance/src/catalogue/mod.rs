//! Everything that can be listed, run and reported under one id: the cases of the corpus, the frames derived from
//! templates, and the probes of the lockdown.
//!
//! The three come from different places and are run by different means; whoever reads a report should not have to
//! care. An [`Item`] is what they share: what is attacked, by what text, what must come of it, and the file to open.
//! [`filter`] chooses among items, [`perform`] runs one.

pub mod filter;
mod generated;
pub mod perform;
mod probes;

use std::collections::BTreeMap;
use std::path::Path;

use sha2::Digest as _;

use crate::binary::workspace;
use crate::corpus::{self, Case, Corpus, CorpusError, Direction, Flag, Host, Kind, Outcome};

pub use filter::Filter;

/// Where an item runs, which decides what its result says something about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// A script, sent to the real binary over MCP.
    Binary,
    /// A script for an in-process host: the library's parent and a real worker, in the server's own tests.
    Session,
    /// Frames from a hostile worker to the real binary.
    ToParent,
    /// Frames to the real binary's worker mode.
    ToWorker,
    /// A system call after the lockdown code of this checkout, in a program of its own.
    Probe,
}

impl Place {
    /// Every place, in the order of lists.
    pub const ALL: [Self; 5] = [Self::Binary, Self::Session, Self::ToParent, Self::ToWorker, Self::Probe];

    /// The word for it in lists and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Binary => "binary",
            Self::Session => "session",
            Self::ToParent => "to-parent",
            Self::ToWorker => "to-worker",
            Self::Probe => "probe",
        }
    }

    /// What was under test, in a phrase.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Binary => "a script, sent to the binary over MCP",
            Self::Session => "a script around an in-process host: the library of this checkout, not the binary",
            Self::ToParent => "frames from a hostile worker program to the binary",
            Self::ToWorker => "frames to the binary's worker mode",
            Self::Probe => "one system call after the lockdown code of this checkout, not of the binary",
        }
    }
}

/// One thing that can be run under an id.
#[derive(Debug, Clone)]
pub struct Item {
    /// Never reused. Generated frames are `gen/…`, unspoilt messages `control/…`, probes `probe/…`.
    pub id: String,
    /// One line for lists.
    pub title: String,
    /// The kind of attack.
    pub family: String,
    /// Who could do what, and what must stop them.
    pub threat: String,
    /// Invariants it holds the server to.
    pub invariants: Vec<String>,
    /// Flags of `flags.toml`.
    pub flags: Vec<String>,
    /// Where it comes from.
    pub refs: Vec<String>,
    /// The code that it tries to fake.
    pub forges: Option<String>,
    /// The codes it accepts as outcome.
    pub codes: Vec<String>,
    /// What must come of it, one entry an accepted outcome.
    pub expected: Vec<String>,
    /// The outcome's kind alone, which a profile freezes: code and reason, `value`, `no answer`, or how a process ends.
    pub meaning: String,
    /// The file to open, relative to the checkout.
    pub file: String,
    /// The front-matter as it stands in the file; empty for what has none.
    pub front: String,
    /// The attack as a reader sees it.
    pub text: String,
    /// SHA-256 of all that defines the item, in hexadecimal.
    pub digest: String,
    /// Where it runs.
    pub place: Place,
    pub(crate) subject: Subject,
}

/// What is run.
#[derive(Debug, Clone)]
pub(crate) enum Subject {
    /// A script or frames, from a file.
    Case(Box<Case>),
    /// Frames from a template, as a case without a file; the script with its front-matter.
    Generated(Box<Case>, String),
    /// A row of the table of attacks.
    Probe(&'static str),
}

/// Everything there is.
#[derive(Debug)]
pub struct Catalogue {
    /// All items, by id.
    pub items: Vec<Item>,
    /// The flags, by name.
    pub flags: BTreeMap<String, Flag>,
}

impl Catalogue {
    /// Reads the corpus of this checkout, and derives the rest.
    ///
    /// # Errors
    /// Every fault of the corpus.
    pub fn load() -> Result<Self, CorpusError> {
        Ok(Self::of(corpus::load(&corpus::directory())?))
    }

    /// The same for a corpus that has been read.
    #[must_use]
    pub fn of(corpus: Corpus) -> Self {
        let mut items: Vec<Item> = corpus.cases.into_iter().map(from_file).collect();
        items.extend(generated::items());
        items.extend(probes::items());
        items.sort_by(|a, b| a.id.cmp(&b.id));
        Self { items, flags: corpus.flags }
    }

    /// The item of an id.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Item> {
        self.items.iter().find(|item| item.id == id)
    }

    /// One digest over all items and flags: two reports with the same one ran the same attacks.
    #[must_use]
    pub fn digest(&self) -> String {
        let mut text = String::new();
        for item in &self.items {
            text.push_str(&format!("{} {}\n", item.digest, item.id));
        }
        for (name, flag) in &self.flags {
            text.push_str(&format!("{name} {flag:?}\n"));
        }
        sha256(text.as_bytes())
    }
}

/// SHA-256 in hexadecimal, as `sha256sum` prints it.
#[must_use]
pub fn sha256(bytes: &[u8]) -> String {
    sha2::Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn from_file(case: Case) -> Item {
    let whole = std::fs::read_to_string(&case.path).unwrap_or_default();
    let file = relative(&case.path);
    let place = match (case.kind, case.setup.host) {
        (Kind::Script, Host::Fixture) => Place::Binary,
        (Kind::Script, Host::Mock) => Place::Session,
        (Kind::Frames(Direction::ToParent), _) => Place::ToParent,
        (Kind::Frames(Direction::ToWorker), _) => Place::ToWorker,
    };
    let text = match case.kind {
        // What the front-matter makes is shown as it is sent.
        Kind::Script => case.source().into_owned(),
        Kind::Frames(_) => case.body.clone(),
    };
    let subject = Subject::Case(Box::new(case.clone()));
    item(&case, place, file, front_matter(&whole), text, sha256(whole.as_bytes()), subject)
}

/// The item of a case, wherever its text comes from.
fn item(
    case: &Case,
    place: Place,
    file: String,
    front: String,
    text: String,
    digest: String,
    subject: Subject,
) -> Item {
    let (expected, meaning) = match place {
        Place::ToWorker => from_steps(&case.body),
        _ => (case.expect.outcomes.iter().map(Outcome::shown).collect(), case.expect.meaning()),
    };
    Item {
        id: case.id.clone(),
        title: case.title.clone(),
        family: case.family.clone(),
        threat: case.threat.split_whitespace().collect::<Vec<_>>().join(" "),
        invariants: case.invariants.clone(),
        flags: case.flags.clone(),
        refs: case.refs.clone(),
        forges: case.forges.map(|code| code.as_str().to_owned()),
        codes: case.expect.codes().map(|code| code.as_str().to_owned()).collect(),
        expected,
        meaning,
        file,
        front,
        text,
        digest,
        place,
        subject,
    }
}

/// No client sees what a script to the worker leads to: what must happen stands in its `expect` steps.
fn from_steps(body: &str) -> (Vec<String>, String) {
    let steps: Vec<&str> = body.lines().filter_map(|line| line.trim().strip_prefix("expect ")).collect();
    let end = steps.iter().rfind(|step| step.starts_with("exit"));
    (vec![steps.join(", then ")], end.map_or_else(|| "no end".to_owned(), |end| (*end).to_owned()))
}

fn front_matter(text: &str) -> String {
    let inner = text.strip_prefix("/*---\n").and_then(|rest| rest.split_once("\n---*/\n"));
    inner.map_or_else(String::new, |(front, _)| front.to_owned())
}

/// A path as a reader of the checkout writes it.
fn relative(path: &Path) -> String {
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    path.strip_prefix(workspace()).unwrap_or(&path).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn catalogue() -> Catalogue {
        Catalogue::load().unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn every_item_says_what_it_is() {
        let catalogue = catalogue();
        let ids: BTreeSet<&str> = catalogue.items.iter().map(|item| item.id.as_str()).collect();
        assert_eq!(ids.len(), catalogue.items.len(), "an id stands for one thing");
        for item in &catalogue.items {
            let Item { id, title, threat, family, meaning, file, text, .. } = item;
            for (what, said) in [("title", title), ("threat", threat), ("family", family), ("meaning", meaning)] {
                assert!(!said.is_empty(), "{id} has no {what}");
            }
            assert!(!item.invariants.is_empty() && !item.expected.is_empty(), "{id}");
            // Two cases send nothing on purpose.
            assert!(!text.is_empty() || item.place == Place::Binary, "{id} shows no attack");
            assert!(workspace().join(file).is_file(), "{id} names {file}");
            assert_eq!(item.digest.len(), 64);
            assert!(item.flags.iter().all(|flag| catalogue.flags.contains_key(flag)), "{id}: {:?}", item.flags);
        }
        for place in Place::ALL {
            if place != Place::Probe || cfg!(target_os = "linux") {
                assert!(catalogue.items.iter().any(|item| item.place == place), "nothing runs at {}", place.name());
            }
        }
    }

    #[test]
    fn the_digest_is_of_everything() {
        let whole = catalogue();
        let mut less = catalogue();
        assert_eq!(whole.digest(), less.digest());
        less.items.pop();
        assert_ne!(whole.digest(), less.digest());
    }

    #[test]
    fn what_a_worker_must_do_is_read_from_the_steps() {
        let (expected, meaning) = from_steps("expect ready\nsend json {}\n  expect eof\nexpect exit failure\n");
        assert_eq!(expected, ["ready, then eof, then exit failure"]);
        assert_eq!(meaning, "exit failure");
    }
}
