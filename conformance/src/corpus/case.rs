//! One case: its front-matter, and the attack below it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use wit_worker::registry::Code;

use super::boundary::Boundary;
use super::expect::{Expectation, RawExpectation};
use super::source::{self, Generate};
use super::{INVARIANTS, shown};

/// Opens the front-matter; must be the first bytes of the file.
const OPEN: &str = "/*---\n";
/// Closes it; the attack begins on the next line.
const CLOSE: &str = "\n---*/\n";
/// The least a threat must say, in bytes.
const THREAT_BYTES: usize = 30;

/// What a case file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A script for the code tool.
    Script,
    /// Frames for one end of the pipe.
    Frames(Direction),
}

/// Which end of the pipe a frames case attacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// The real worker mode, fed by us.
    ToWorker,
    /// The real parent, fed by a hostile worker program.
    ToParent,
}

/// What answers host calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Host {
    /// The real operations over the fixture repository, in the real binary.
    #[default]
    Fixture,
    /// An in-process host with answers of exact sizes: such a case runs at the session level, because no real
    /// repository can be made to answer with exactly one byte more.
    Mock,
}

/// What listens behind `--github-url`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Upstream {
    /// Nothing; the address refuses connections.
    #[default]
    Refuse,
    /// A listener that accepts and never answers.
    Hang,
    /// A listener that answers every connection with bytes that are not HTTP, holding a canary.
    Garbage,
    /// A listener that answers every request with this HTTP status, and a canary in headers and body.
    Status(u16),
    /// A git server that has the fixture as `demo/remote`, and answers 503 once it has been asked for it.
    FailsLater,
}

/// How the client behaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Act {
    /// Calls the tool and waits for the answer.
    #[default]
    Call,
    /// Cancels once the worker is seen running JavaScript.
    CancelRunning,
    /// Cancels once the upstream is seen to have been asked.
    CancelWaiting,
    /// Cancels after the answer, twice, and cancels an id that never was.
    CancelFinished,
    /// Cancels right behind the request, before anything can have been answered.
    CancelAtOnce,
    /// Cancels once a worker is seen that has locked itself down and waits: with one that never says `ready`, in its start.
    CancelStarting,
    /// Kills the worker (SIGKILL) once it is seen running JavaScript.
    KillWorker,
    /// Stops the worker (SIGSTOP) once it is seen running JavaScript.
    StopWorker,
    /// Kills the worker (SIGKILL) once the upstream is seen to have been asked.
    KillWaiting,
    /// Stops the worker (SIGSTOP) once the upstream is seen to have been asked.
    StopWaiting,
    /// Kills the idle spares (SIGKILL), and calls in the same moment.
    KillSpare,
    /// Stops the idle spares (SIGSTOP), and calls.
    StopSpare,
    /// Stops the idle spares, calls, and kills them (SIGKILL) when the script lies in their pipes.
    KillHandedOver,
    /// Kills the server (SIGKILL) once the worker is seen running JavaScript.
    KillServer,
    /// Closes the server's stdin once the worker is seen running JavaScript.
    CloseStdin,
    /// Only starts the server; for what must be refused at start-up.
    Start,
}

/// What surrounds the attack.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Setup {
    /// What answers host calls.
    pub host: Host,
    /// Written to the policy file as it stands, also when it is not valid.
    pub policy: toml::Table,
    /// Environment variables of the server, beside the runner's own.
    pub environment: BTreeMap<String, String>,
    /// More command-line arguments of the server.
    pub arguments: Vec<String>,
    /// What listens behind `--github-url`.
    pub upstream: Upstream,
    /// Names mapped with `--local` beside `demo/fixture`, to `missing`, `empty_directory`, `empty_repository` or
    /// `corrupt`.
    pub local: BTreeMap<String, String>,
    /// How the client behaves.
    pub act: Act,
    /// Whether the same server must run the next script. False where the operator's set-up makes every call fail,
    /// and then the next call must fail in the same way.
    pub recovers: bool,
    /// For frames to the parent: the script the parent is asked to run while the hostile worker answers.
    pub script: Option<String>,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            host: Host::default(),
            policy: toml::Table::new(),
            environment: BTreeMap::new(),
            arguments: Vec::new(),
            upstream: Upstream::default(),
            local: BTreeMap::new(),
            act: Act::default(),
            recovers: true,
            script: None,
        }
    }
}

/// A script started before the case's own and kept running beside it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Background {
    /// The script; `$N` stands for its number among those that run.
    pub source: String,
    /// How many of its host calls wait for the upstream; none where it computes instead.
    #[serde(default)]
    pub waiting_calls: usize,
    /// How many run it at once.
    #[serde(default = "one")]
    pub times: usize,
}

const fn one() -> usize {
    1
}

/// A further call to the same server, after the case's own.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    /// The script.
    pub source: String,
    /// Its outcome.
    pub expect: Expectation,
}

/// A case of the corpus.
#[derive(Debug, Clone)]
pub struct Case {
    /// Never reused; the file's stem.
    pub id: String,
    /// One line for lists.
    pub title: String,
    /// The kind of attack; the file's directory.
    pub family: String,
    /// Who could do what, and what must stop them, for an auditor.
    pub threat: String,
    /// Invariants of DESIGN §2 that it holds the server to.
    pub invariants: Vec<String>,
    /// Flags, each defined in `flags.toml`.
    pub flags: Vec<String>,
    /// Advisories, issues and clauses it comes from.
    pub refs: Vec<String>,
    /// The code that it tries to fake, if it does.
    pub forges: Option<Code>,
    /// Whether its whole envelope is snapshot-tested.
    pub snapshot: bool,
    /// The edges of limits that it stands at.
    pub boundaries: Vec<Boundary>,
    /// What surrounds it.
    pub setup: Setup,
    /// Scripts kept running beside it.
    pub background: Vec<Background>,
    /// The outcome it must have.
    pub expect: Expectation,
    /// Calls that follow on the same server.
    pub then: Vec<Step>,
    /// What the file is.
    pub kind: Kind,
    /// The file, as found.
    pub path: PathBuf,
    /// The text below the front-matter, exactly.
    pub body: String,
    /// The tool's arguments as JSON text, where they are not `{"code": source}`.
    arguments: Option<String>,
    /// The tool's arguments as bytes that need not be valid JSON.
    pub raw_arguments: Option<String>,
    replaced: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FrontMatter {
    id: String,
    title: String,
    family: String,
    threat: String,
    invariants: Vec<String>,
    flags: Vec<String>,
    #[serde(default)]
    refs: Vec<String>,
    forges: Option<String>,
    #[serde(default)]
    snapshot: bool,
    #[serde(default)]
    boundary: Vec<String>,
    source: Option<String>,
    source_base64: Option<String>,
    generate: Option<Vec<Generate>>,
    arguments: Option<String>,
    raw_arguments: Option<String>,
    #[serde(default)]
    setup: Setup,
    #[serde(default)]
    background: Vec<Background>,
    expect: RawExpectation,
    #[serde(default)]
    then: Vec<RawStep>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawStep {
    source: String,
    expect: RawExpectation,
}

impl Case {
    /// Reads one file of the corpus at `root`.
    pub(super) fn read(root: &Path, path: &Path) -> Result<Self, String> {
        let bytes = fs::read(path).map_err(|error| error.to_string())?;
        let text = String::from_utf8(bytes).map_err(|_| "not UTF-8; give such a source as source_base64".to_owned())?;
        let case = Self::parse(path, &text)?;
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        if stem != case.id {
            return Err(format!("the id {} does not match the file name", case.id));
        }
        let directory = path.parent().and_then(|parent| parent.file_name()).and_then(|name| name.to_str());
        if !matches!(case.kind, Kind::Frames(_)) && directory != Some(&*case.family) {
            return Err(format!("the family {} does not match the directory", case.family));
        }
        debug_assert!(path.starts_with(root), "{}", shown(root, path));
        Ok(case)
    }

    /// Reads the text of a case file; `path` decides what kind it is.
    ///
    /// # Errors
    /// What is wrong with it, in one line.
    pub fn parse(path: &Path, text: &str) -> Result<Self, String> {
        let (front, body) = text
            .strip_prefix(OPEN)
            .and_then(|rest| rest.split_once(CLOSE))
            .ok_or("the file must begin with a front-matter block: /*--- … ---*/")?;
        let front: FrontMatter = toml::from_str(front).map_err(|error| {
            let line = error.span().map_or(0, |span| front[..span.start.min(front.len())].lines().count());
            format!("front-matter, about line {}: {}", line + 1, error.message())
        })?;
        check_words(&front)?;

        let kind = kind_of(path)?;
        // Editors end a file with a newline; the source is what stands before it.
        let body = body.strip_suffix('\n').unwrap_or(body).to_owned();
        let replaced = match (front.source, front.source_base64, front.generate) {
            (None, None, None) => None,
            (Some(text), None, None) => Some(text),
            (None, Some(text), None) => Some(source::from_base64(&text)?),
            (None, None, Some(pieces)) => Some(source::joined(&pieces)),
            _ => return Err("source, source_base64 and generate exclude each other".into()),
        };
        if replaced.is_some() && !body.trim().is_empty() {
            return Err("the source is given twice: in the front-matter and below it".into());
        }
        if let Some(arguments) = &front.arguments {
            serde_json::from_str::<serde_json::Value>(arguments).map_err(|error| format!("arguments: {error}"))?;
        }
        let forges = match front.forges {
            Some(name) => Some(Code::parse(&name).ok_or_else(|| format!("forges: {name} is not a code"))?),
            None => None,
        };
        let then = front
            .then
            .into_iter()
            .map(|step| Ok(Step { source: step.source, expect: step.expect.check()? }))
            .collect::<Result<_, String>>()?;
        Ok(Self {
            id: front.id,
            title: front.title,
            family: front.family,
            threat: front.threat,
            invariants: front.invariants,
            flags: front.flags,
            refs: front.refs,
            forges,
            snapshot: front.snapshot,
            boundaries: front
                .boundary
                .iter()
                .map(|text| Boundary::parse(text, &front.setup.policy))
                .collect::<Result<_, _>>()?,
            setup: front.setup,
            background: front.background,
            expect: front.expect.check()?,
            then,
            kind,
            path: path.to_owned(),
            body,
            arguments: front.arguments,
            raw_arguments: front.raw_arguments,
            replaced,
        })
    }

    /// The script exactly as it is sent.
    #[must_use]
    pub fn source(&self) -> Cow<'_, str> {
        Cow::Borrowed(self.replaced.as_deref().unwrap_or(&self.body))
    }

    /// Whether the tool's arguments are the case's own, instead of one string of code.
    #[must_use]
    pub const fn has_own_arguments(&self) -> bool {
        self.arguments.is_some() || self.raw_arguments.is_some()
    }

    /// The arguments of the tool call.
    #[must_use]
    pub fn arguments(&self) -> serde_json::Value {
        match &self.arguments {
            // Checked when the file was read.
            Some(text) => serde_json::from_str(text).unwrap_or_default(),
            None if self.kind == Kind::Script => serde_json::json!({ "code": self.source() }),
            // The body of a frames case is the worker's part; the client asks for a script as ordinary as can be.
            None => serde_json::json!({ "code": self.setup.script.as_deref().unwrap_or("return 1") }),
        }
    }

    /// The file relative to the corpus, for people.
    #[must_use]
    pub fn shown(&self) -> String {
        let parts: Vec<_> = self.path.iter().rev().take(if self.kind == Kind::Script { 2 } else { 3 }).collect();
        let names: Vec<_> = parts.iter().rev().map(|part| part.to_string_lossy()).collect();
        names.join("/")
    }
}

fn kind_of(path: &Path) -> Result<Kind, String> {
    let parent = path.parent().and_then(|parent| parent.file_name()).and_then(|name| name.to_str());
    match (path.extension().and_then(|e| e.to_str()), parent) {
        (Some("js"), _) => Ok(Kind::Script),
        (Some("frames"), Some("to-worker")) => Ok(Kind::Frames(Direction::ToWorker)),
        (Some("frames"), Some("to-parent")) => Ok(Kind::Frames(Direction::ToParent)),
        _ => Err("a case is <family>/<id>.js or frames/<direction>/<id>.frames".into()),
    }
}

/// The rules of the front-matter's words.
fn check_words(front: &FrontMatter) -> Result<(), String> {
    let plain = |word: &str| {
        !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
    };
    if !plain(&front.id) {
        return Err("an id is lower-case letters, digits and hyphens".into());
    }
    if front.title.trim().is_empty() || front.title.contains('\n') {
        return Err("the title must be one line".into());
    }
    if front.threat.trim().len() < THREAT_BYTES {
        return Err("the threat must explain the attack".into());
    }
    if front.invariants.is_empty() || front.flags.is_empty() {
        return Err("a case names at least one invariant and one flag".into());
    }
    match front.invariants.iter().find(|name| !INVARIANTS.contains(&name.as_str())) {
        Some(name) => Err(format!("{name} is not an invariant")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(extra: &str, body: &str) -> String {
        format!(
            "/*---\nid = \"x\"\ntitle = \"t\"\nfamily = \"f\"\nthreat = \"Long enough to explain something.\"\n\
             invariants = [\"I4\"]\nflags = [\"one\"]\n{extra}\n---*/\n{body}"
        )
    }

    fn parse(extra: &str, body: &str) -> Result<Case, String> {
        Case::parse(Path::new("f/x.js"), &text(extra, body))
    }

    fn fault(extra: &str, body: &str) -> String {
        parse(extra, body).err().unwrap_or_else(|| "accepted".into())
    }

    const ONE: &str = "[expect]\nvalue = '1'";

    #[test]
    fn the_source_is_what_stands_below_and_keeps_its_lines() {
        for (below, sent) in [
            ("return 1\n", "return 1"),
            ("\n\n  return 1 // tail\n\n", "\n\n  return 1 // tail\n"),
            ("return 1", "return 1"),
            ("\n", ""),
            ("return '---*/'\n", "return '---*/'"),
        ] {
            assert_eq!(parse(ONE, below).map(|case| case.source().into_owned()), Ok(sent.to_owned()));
        }
    }

    #[test]
    fn a_source_can_be_made_or_encoded_but_given_once() {
        let made = parse(&format!("generate = [{{ prefix = 'a', repeat = 'b', count = 2 }}]\n{ONE}"), "\n");
        assert_eq!(made.map(|case| case.source().into_owned()), Ok("abb".to_owned()));
        let encoded = parse(&format!("source_base64 = 'AA=='\n{ONE}"), "");
        assert_eq!(encoded.map(|case| case.source().into_owned()), Ok("\0".to_owned()));
        assert!(fault(&format!("source = 'x'\n{ONE}"), "return 1").contains("given twice"));
        assert!(fault(&format!("source = 'x'\nsource_base64 = 'AA=='\n{ONE}"), "").contains("exclude"));
    }

    #[test]
    fn arguments_replace_the_whole_call() {
        let case = parse(&format!("arguments = '{{\"code\":5}}'\n{ONE}"), "");
        assert_eq!(case.map(|case| case.arguments()), Ok(serde_json::json!({ "code": 5 })));
        let case = parse(ONE, "return 1\n");
        assert_eq!(case.map(|case| case.arguments()), Ok(serde_json::json!({ "code": "return 1" })));
        assert!(fault(&format!("arguments = '{{'\n{ONE}"), "").contains("arguments"));
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        assert!(fault(&format!("surprise = 1\n{ONE}"), "").contains("surprise"));
        assert!(fault(&format!("[setup]\nhosts = 'mock'\n{ONE}"), "").contains("hosts"));
        assert!(fault(&format!("forges = 'nope'\n{ONE}"), "").contains("not a code"));
        assert!(fault("", "return 1").contains("expect"));
        let broken = text(ONE, "").replace("I4", "I13");
        assert_eq!(Case::parse(Path::new("f/x.js"), &broken).err().as_deref(), Some("I13 is not an invariant"));
        assert!(Case::parse(Path::new("f/x.js"), "return 1").is_err());
        assert!(Case::parse(Path::new("f/x.frames"), &text(ONE, "")).is_err());
        let frames = Case::parse(Path::new("frames/to-worker/x.frames"), &text(ONE, "close\n"));
        assert_eq!(frames.map(|case| case.kind), Ok(Kind::Frames(Direction::ToWorker)));
    }
}
