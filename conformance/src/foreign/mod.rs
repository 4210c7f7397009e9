//! Foreign mode: the same cases against another server that runs code, with an adapter that says how to read it.
//!
//! An [`Adapter`] is a TOML file (`docs/foreign.md`): what the tool is called, how a success and a failure look, which
//! of our codes its failures stand for, what it lacks, and what is skipped for which reason. [`Foreign`] holds one with
//! the command of the server; a [`crate::run::Kit`] made of it runs cases through it. [`survey`] runs all that can be
//! run and says of each case whether it passed, failed, was skipped or is not supported.
//!
//! Whatever an adapter says and nothing bears out is an error: a name that does not exist, a skip whose cases would all
//! pass, a code that never came. A foreign server is judged by the outcome and by what must hold of any server (stdout,
//! canaries, the next call, a prompt end), not by wit's own envelope; an adapter that says `exact` asks for that too.

mod adapter;
mod answer;
mod command;
mod report;
mod survey;

use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

pub use adapter::{Adapter, Lack};
pub use command::Arguments;
pub use report::{ForeignReport, Row, Verdict};
pub use survey::{Finding, survey};

use crate::client::Confinement;
use crate::corpus::{Case, Expectation, Observed};

/// A foreign server: its command and its adapter.
#[derive(Debug, Clone)]
pub struct Foreign {
    /// A shell's command line.
    pub command: String,
    /// How to read it.
    pub adapter: Arc<Adapter>,
}

/// A command line and an environment.
type Dress = (Vec<OsString>, Vec<(OsString, OsString)>);

impl Foreign {
    /// The arguments of the shell that becomes the server, and its environment. `made` holds what stands for what.
    pub(crate) fn dress(&self, case: &Case, locals: &[(String, String)], made: &[(&str, String)]) -> Dress {
        let fill = |text: &str| -> OsString {
            made.iter().fold(text.to_owned(), |text, (name, value)| text.replace(name, value)).into()
        };
        let setup = &self.adapter.setup;
        let script = format!("exec {} \"$@\"", self.command);
        let mut arguments: Vec<OsString> = vec!["-c".into(), script.into(), "sh".into()];
        arguments.extend(setup.arguments.iter().map(|word| fill(word)));
        for (name, path) in locals {
            let named = |word: &String| word.replace("{name}", name).replace("{path}", path).into();
            arguments.extend(setup.local.iter().map(named));
        }
        arguments.extend(case.setup.arguments.iter().map(|word| fill(word)));
        let inherited = setup.inherit.iter().filter_map(|name| Some((name.into(), std::env::var_os(name)?)));
        let own = setup.environment.iter().map(|(name, value)| (name.into(), fill(value)));
        let of_case = case.setup.environment.iter().map(|(name, value)| (name.into(), value.into()));
        (arguments, inherited.chain(own).chain(of_case).collect())
    }
}

/// How a server is talked to: wit, or a foreign one through its adapter.
#[derive(Debug, Clone, Default)]
pub(crate) struct Dialect(pub(crate) Option<Arc<Adapter>>);

/// The longest waits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Times {
    /// For an answer.
    pub(crate) answer: Duration,
    /// For the server to start.
    pub(crate) start: Duration,
    /// For the server to end after its input did.
    pub(crate) end: Duration,
}

impl Dialect {
    fn adapter(&self) -> Option<&Adapter> {
        self.0.as_deref()
    }

    /// Whether the answer must be wit's own in every respect.
    pub(crate) fn is_exact(&self) -> bool {
        self.adapter().is_none_or(|adapter| adapter.exact)
    }

    /// The waits, where they are not the kit's own.
    pub(crate) fn times(&self, own: Times) -> Times {
        self.adapter().map_or(own, |adapter| adapter.limits.times(own))
    }

    /// The parameters of `tools/call` for the kit's own `{"code": …}` arguments.
    pub(crate) fn parameters(&self, arguments: &Value) -> Value {
        match self.adapter() {
            None => json!({ "name": "code", "arguments": arguments }),
            Some(adapter) => json!({ "name": adapter.tool.name, "arguments": adapter.arguments(arguments) }),
        }
    }

    /// The same around arguments that need not be JSON.
    pub(crate) fn raw_parameters(&self, arguments: &str) -> String {
        let name = self.adapter().map_or("code", |adapter| &adapter.tool.name);
        format!("{{\"name\":{},\"arguments\":{arguments}}}", json!(name))
    }

    /// The outcome in an answer, the whole result, and what is wrong with its form.
    pub(crate) fn read(&self, answer: &Value) -> (Observed, Option<Value>, Vec<String>) {
        match self.adapter() {
            Some(adapter) if !adapter.exact => answer::read(adapter, answer),
            _ => crate::run::read_answer(answer),
        }
    }

    /// Compares an outcome with what a case expects, as far as the adapter can tell.
    ///
    /// # Errors
    /// The difference.
    pub(crate) fn check(&self, expect: &Expectation, observed: &Observed, elapsed: Duration) -> Result<(), String> {
        if self.is_exact() { expect.check(observed, elapsed) } else { answer::check(expect, observed, elapsed) }
    }

    /// How the server's process is held.
    pub(crate) fn confinement(&self) -> Confinement {
        match self.adapter() {
            None => Confinement::default(),
            Some(adapter) => Confinement { group: true, data_bytes: adapter.limits.memory_mb.map(|mb| mb << 20) },
        }
    }
}
