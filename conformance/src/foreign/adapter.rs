//! The adapter file, read strictly.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use regex::Regex;
use serde::Deserialize;
use serde_json::{Map, Value};
use wit_worker::registry::{Code, Reason};

use super::Times;
use crate::corpus::{Act, Case, Corpus, Host, Kind, Upstream};

/// The least a reason must say, in bytes.
const REASON_BYTES: usize = 10;
/// The word for a failure that stands for any of our codes.
const ANY: &str = "any";
/// What stands for the script in a wrapping.
const SOURCE: &str = "{source}";

/// How to talk to a foreign server, and what to make of it.
#[derive(Debug)]
pub struct Adapter {
    /// The server's name, for reports.
    pub name: String,
    /// Whether its answers must be wit's own in every respect.
    pub exact: bool,
    pub(super) tool: Tool,
    pub(super) setup: Setup,
    pub(super) limits: Limits,
    pub(super) success: Success,
    pub(super) failure: Failure,
    pub(super) codes: Vec<CodeRule>,
    pub(super) lacks: BTreeMap<Lack, String>,
    pub(super) skips: Vec<Skip>,
}

/// Something that cases need and a server may lack.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Lack {
    /// The seven operations as `codemode.wit`.
    Host,
    /// wit's policy file.
    Policy,
    /// A git server of the kit's behind `--github-url`.
    Upstream,
    /// Local repositories mapped by the operator.
    Local,
    /// Further arguments and variables of wit's.
    Flags,
    /// Processes of the server's, one a running script, that the kit can see, kill and wait for.
    Processes,
    /// Refusing to start with wit's own words.
    Refusal,
    /// Arguments of the tool that are not one string of code.
    ToolInput,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    name: String,
    #[serde(default)]
    exact: bool,
    tool: Tool,
    #[serde(default)]
    setup: Setup,
    #[serde(default)]
    limits: Limits,
    success: Success,
    failure: RawFailure,
    #[serde(default)]
    code: Vec<RawCodeRule>,
    #[serde(default)]
    lacks: BTreeMap<Lack, String>,
    #[serde(default)]
    skip: Vec<Skip>,
}

/// The tool that runs code.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Tool {
    /// Its name.
    pub(super) name: String,
    /// The argument that takes the script.
    pub(super) argument: String,
    /// Further arguments, the same in each call.
    #[serde(default)]
    pub(super) also: Map<String, Value>,
    /// The script as it is sent: a text around `{source}`.
    #[serde(default = "Tool::bare")]
    pub(super) script: String,
}

impl Tool {
    fn bare() -> String {
        SOURCE.to_owned()
    }
}

/// What is added to the server's command line and environment. `{policy}`, `{upstream}`, `{fixture}`, `{cache}`,
/// `{temporary}`, `{home}`, `{token}` and `{variable}` stand for what the kit made for the case.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Setup {
    pub(super) arguments: Vec<String>,
    pub(super) environment: BTreeMap<String, String>,
    /// How a further local repository is named on the command line: `{name}` and `{path}`.
    pub(super) local: Vec<String>,
    /// Variables that are taken over from the kit's own environment.
    pub(super) inherit: Vec<String>,
}

/// Time and memory.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Limits {
    answer_ms: Option<u64>,
    start_ms: Option<u64>,
    end_ms: Option<u64>,
    /// Data of each of the server's processes.
    pub(super) memory_mb: Option<u64>,
    /// How many cases at once, each with a server of its own.
    pub(super) parallel: Option<usize>,
}

impl Limits {
    pub(super) fn times(&self, own: Times) -> Times {
        let or = |given: Option<u64>, own: Duration| given.map_or(own, Duration::from_millis);
        Times {
            answer: or(self.answer_ms, own.answer),
            start: or(self.start_ms, own.start),
            end: or(self.end_ms, own.end),
        }
    }
}

/// Where the value stands: in the structured content or the text, by a JSON pointer, or in the text by a pattern
/// whose first group is the value's JSON.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Success {
    pub(super) from: From,
    #[serde(default)]
    pub(super) pointer: String,
    #[serde(default, deserialize_with = "pattern")]
    pub(super) pattern: Option<Regex>,
}

/// A part of a tool's result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum From {
    Structured,
    Text,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFailure {
    #[serde(default)]
    is_error: bool,
    #[serde(default, deserialize_with = "pattern")]
    pattern: Option<Regex>,
    #[serde(default)]
    ours: bool,
}

/// How a failure is known.
#[derive(Debug)]
pub(super) struct Failure {
    /// By `isError`.
    pub(super) is_error: bool,
    /// By a text; its first group, if it has one, is what the code is decided by.
    pub(super) pattern: Option<Regex>,
    /// Its structured content is wit's own failure object, codes included.
    pub(super) ours: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawCodeRule {
    #[serde(deserialize_with = "pattern")]
    pattern: Option<Regex>,
    code: String,
    reason: Option<String>,
}

/// Which of our codes a failure stands for.
#[derive(Debug)]
pub(super) struct CodeRule {
    pub(super) pattern: Regex,
    /// None: any.
    pub(super) code: Option<Code>,
    /// None: not told.
    pub(super) reason: Option<Reason>,
    used: AtomicBool,
}

/// Cases that are not held against the server.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Skip {
    family: Option<String>,
    flag: Option<String>,
    case: Option<String>,
    pub(super) reason: String,
    /// Whether the cases are run all the same, so that a skip that is not needed any more is noticed.
    #[serde(default = "yes")]
    pub(super) run: bool,
}

const fn yes() -> bool {
    true
}

fn pattern<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Regex>, D::Error> {
    let text = String::deserialize(deserializer)?;
    Regex::new(&text).map(Some).map_err(|_| serde::de::Error::custom(format!("{text} is not a regular expression")))
}

impl Adapter {
    /// Reads a file and holds it to the corpus.
    ///
    /// # Errors
    /// What is wrong with it, one line a fault.
    pub fn read(path: &Path, corpus: &Corpus) -> Result<Self, String> {
        let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
        Self::parse(&text, corpus).map_err(|fault| format!("{}: {fault}", path.display()))
    }

    /// The same for a text.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn parse(text: &str, corpus: &Corpus) -> Result<Self, String> {
        let raw: Raw = toml::from_str(text).map_err(|error| error.message().to_owned())?;
        let mut faults = Vec::new();
        let codes = raw.code.into_iter().map(CodeRule::new).filter_map(|rule| rule.map_err(|f| faults.push(f)).ok());
        let codes: Vec<CodeRule> = codes.collect();
        let RawFailure { is_error, pattern, ours } = raw.failure;
        if !is_error && pattern.is_none() {
            faults.push("failure: say is_error, or give a pattern".to_owned());
        }
        if !raw.tool.script.contains(SOURCE) {
            faults.push(format!("tool.script holds no {SOURCE}"));
        }
        if raw.success.from == From::Structured && raw.success.pattern.is_some() {
            faults.push("success: a pattern is for text".to_owned());
        }
        for (lack, reason) in &raw.lacks {
            if reason.trim().len() < REASON_BYTES {
                faults.push(format!("lacks.{lack:?}: without a reason"));
            }
        }
        for skip in &raw.skip {
            faults.extend(skip.faults(corpus));
        }
        if !faults.is_empty() {
            return Err(faults.join("\n"));
        }
        let Raw { name, exact, tool, setup, limits, success, lacks, skip, .. } = raw;
        let failure = Failure { is_error, pattern, ours };
        Ok(Self { name, exact, tool, setup, limits, success, failure, codes, lacks, skips: skip })
    }

    /// What a case needs that this server lacks, with the adapter's reason.
    pub(super) fn missing(&self, case: &Case) -> Option<&str> {
        let needed = needs(case);
        self.lacks.iter().find(|(lack, _)| needed.contains(lack)).map(|(_, reason)| reason.as_str())
    }

    /// The skip that covers a case, with its place in the file.
    pub(super) fn skip(&self, case: &Case) -> Option<(usize, &Skip)> {
        self.skips.iter().enumerate().find(|(_, skip)| skip.covers(case))
    }

    /// The tool's arguments for the kit's own.
    pub(super) fn arguments(&self, ours: &Value) -> Value {
        let Some(object) = ours.as_object() else { return ours.clone() };
        let mut arguments = self.tool.also.clone();
        for (name, value) in object {
            match (name.as_str(), value.as_str()) {
                ("code", Some(source)) => {
                    arguments.insert(self.tool.argument.clone(), self.tool.script.replacen(SOURCE, source, 1).into());
                }
                ("code", None) => drop(arguments.insert(self.tool.argument.clone(), value.clone())),
                _ => drop(arguments.insert(name.clone(), value.clone())),
            }
        }
        Value::Object(arguments)
    }

    /// The rule that a failure's text meets, which is thereby used.
    pub(super) fn rule(&self, text: &str) -> Option<&CodeRule> {
        let rule = self.codes.iter().find(|rule| rule.pattern.is_match(text))?;
        rule.used.store(true, Ordering::Relaxed);
        Some(rule)
    }

    /// Rules that no failure has met.
    pub(super) fn unused_rules(&self) -> Vec<String> {
        self.codes
            .iter()
            .filter(|rule| !rule.used.load(Ordering::Relaxed))
            .map(|rule| rule.pattern.to_string())
            .collect()
    }
}

impl CodeRule {
    fn new(raw: RawCodeRule) -> Result<Self, String> {
        let RawCodeRule { pattern, code: name, reason } = raw;
        let pattern = pattern.ok_or("code: without a pattern")?;
        let code = match &*name {
            ANY => None,
            name => Some(Code::parse(name).ok_or_else(|| format!("code: {name} is not a code"))?),
        };
        let reason = match reason {
            None => None,
            Some(reason) => {
                let found = Reason::parse(&reason).ok_or_else(|| format!("code: {reason} is not a reason"))?;
                if Some(found.code()) != code {
                    return Err(format!("code: {reason} is not a reason of {name}"));
                }
                Some(found)
            }
        };
        Ok(Self { pattern, code, reason, used: AtomicBool::new(false) })
    }
}

impl Skip {
    fn covers(&self, case: &Case) -> bool {
        match (&self.family, &self.flag, &self.case) {
            (Some(family), _, _) => case.family == *family,
            (_, Some(flag), _) => case.flags.contains(flag),
            (_, _, Some(id)) => case.id == *id,
            _ => false,
        }
    }

    /// What it names, for people.
    pub(super) fn shown(&self) -> String {
        let named = |kind: &str, name: &Option<String>| name.as_ref().map(|name| format!("{kind} {name}"));
        named("family", &self.family)
            .or_else(|| named("flag", &self.flag))
            .or_else(|| named("case", &self.case))
            .unwrap_or_default()
    }

    fn faults(&self, corpus: &Corpus) -> Vec<String> {
        let given = [&self.family, &self.flag, &self.case].iter().filter(|name| name.is_some()).count();
        let mut faults = Vec::new();
        if given != 1 {
            faults.push("skip: name one of family, flag and case".to_owned());
        } else if !corpus.cases.iter().any(|case| self.covers(case)) {
            faults.push(format!("skip: there is no {}", self.shown()));
        }
        if self.reason.trim().len() < REASON_BYTES {
            faults.push(format!("skip {}: without a reason", self.shown()));
        }
        faults
    }
}

/// Why no foreign server can run a case, if so.
pub(super) fn never(case: &Case) -> Option<&'static str> {
    match (case.kind, case.setup.host) {
        (Kind::Frames(_), _) => Some("frames are wit's own protocol between its parent and its worker"),
        (Kind::Script, Host::Mock) => {
            Some("needs a host that answers with exactly so many bytes, inside wit's process")
        }
        (Kind::Script, Host::Fixture) => None,
    }
}

/// What a case needs of its server.
pub(super) fn needs(case: &Case) -> Vec<Lack> {
    let setup = &case.setup;
    let mentions = |source: &str| source.contains("codemode");
    let scripts = case.then.iter().map(|step| &step.source).chain(case.background.iter().map(|script| &script.source));
    let seen = !matches!(setup.act, Act::Call | Act::CancelFinished | Act::Start);
    let needed = [
        (Lack::Host, mentions(&case.source()) || scripts.into_iter().any(|source| mentions(source))),
        (Lack::Policy, !setup.policy.is_empty()),
        (Lack::Upstream, setup.upstream != Upstream::Refuse),
        (Lack::Local, !setup.local.is_empty()),
        (Lack::Flags, !setup.arguments.is_empty() || !setup.environment.is_empty()),
        (Lack::Processes, seen || !case.background.is_empty()),
        (Lack::Refusal, setup.act == Act::Start),
        (Lack::ToolInput, case.has_own_arguments()),
    ];
    needed.into_iter().filter_map(|(lack, needed)| needed.then_some(lack)).collect()
}
