//! What is run: kinds of invocation with their weights, their scripts and the one verdict each must have.
//!
//! The corpus takes part: every script case that needs nothing but the soak's own server is drawn at random, and
//! judged by its own expectation, so that each code a script can bring about occurs among thousands of other calls.

use std::time::Duration;

use serde_json::{Value, json};
use wit_worker::registry::{Code, LimitId, Reason};

use crate::corpus::{Act, Case, Corpus, Expectation, Host, Kind, Observed, Setup};
use crate::random::Random;

/// One invocation: what is sent, what is done to it, what must come of it.
pub(super) struct Plan {
    /// The kind, for the report.
    pub(super) kind: &'static str,
    /// The tool's arguments.
    pub(super) arguments: Value,
    /// What the client does.
    pub(super) client: Client,
    /// The verdict.
    pub(super) expect: Expect,
    /// JavaScript or host time it is meant to use up: an answer later than this and the slack is a fault.
    pub(super) budget: Duration,
}

/// What the client does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Client {
    /// Waits for the answer.
    Waits,
    /// Withdraws the request after this time.
    Cancels(Duration),
}

/// The verdict.
pub(super) enum Expect {
    /// This value.
    Value(Value),
    /// A value that is a text of this many bytes.
    Text(u64),
    /// Any value: what is compared is compared in the script.
    Any,
    /// This failure.
    Failure(Code, Option<Reason>),
    /// What the case says.
    Case(Expectation),
    /// The request was withdrawn while it ran, so no answer may come.
    Silence,
    /// The request was withdrawn when it may have been answered already.
    SilenceOr(Value),
}

impl Expect {
    /// Compares with what came of it.
    pub(super) fn check(&self, observed: &Observed, elapsed: Duration) -> Result<(), String> {
        let agrees = match (self, observed) {
            (Self::Case(case), _) => return case.check(observed, elapsed),
            (Self::Any, Observed::Success(_)) => true,
            (Self::Value(value) | Self::SilenceOr(value), Observed::Success(got)) => got.get("value") == Some(value),
            (Self::Text(bytes), Observed::Success(got)) => {
                got.get("value").and_then(Value::as_str).is_some_and(|text| text.len() as u64 == *bytes)
            }
            (Self::Failure(code, reason), Observed::Failure(got)) => {
                let word = |name: &str| got.get(name).and_then(Value::as_str);
                word("code") == Some(code.as_str()) && word("reason") == reason.map(Reason::as_str)
            }
            (Self::Silence | Self::SilenceOr(_), Observed::NoAnswer) => true,
            _ => false,
        };
        if agrees { Ok(()) } else { Err(format!("expected {}, got {}", self.shown(), observed.shown())) }
    }

    fn shown(&self) -> String {
        match self {
            Self::Value(value) => format!("the value {value}"),
            Self::Text(bytes) => format!("a text of {bytes} bytes"),
            Self::Any => "a value".to_owned(),
            Self::Failure(code, None) => code.to_string(),
            Self::Failure(code, Some(reason)) => format!("{code} ({reason})"),
            Self::Case(case) => {
                case.outcomes.iter().map(crate::corpus::Outcome::shown).collect::<Vec<_>>().join(", or ")
            }
            Self::Silence => "no answer".to_owned(),
            Self::SilenceOr(value) => format!("no answer, or the value {value}"),
        }
    }
}

/// Policy of the soak's server, in milliseconds where a time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Times {
    /// `wall_ms`.
    pub(super) wall: u64,
    /// `operation_ms`.
    pub(super) operation: u64,
}

/// Chooses plans.
pub(super) struct Mix {
    cases: Vec<Case>,
    times: Times,
}

/// Makes one plan of a kind.
type Draw = fn(&Times, &mut Random) -> Plan;

/// Kinds with their weights, of 1000.
const WEIGHTS: &[(u64, Draw)] = &[
    (280, small),
    (30, console),
    (50, large_result),
    (20, large_source),
    (50, computes),
    (90, opens_and_lists),
    (40, opens_and_searches),
    (40, opens_and_reads),
    (20, four_at_once),
    (60, fails),
    (10, spins),
    (5, spins_natively),
    (5, operation_hangs),
    (20, cancelled_at_once),
    (40, cancelled_at_random),
    (30, cancelled_while_spinning),
    (15, cancelled_while_waiting),
];

impl Mix {
    /// The mix with every case of the corpus that the soak's server can run as it is.
    pub(super) fn new(corpus: Corpus, times: Times) -> Self {
        let cases = corpus.cases.into_iter().filter(|case| fits(case, times)).collect();
        Self { cases, times }
    }

    /// The plan for one invocation.
    pub(super) fn plan(&self, random: &mut Random) -> Plan {
        let mut at = random.below(1000);
        for (weight, plan) in WEIGHTS {
            if at < *weight {
                return plan(&self.times, random);
            }
            at -= weight;
        }
        match random.pick(&self.cases) {
            // Its time bound is for a quiet server; the soak has its own.
            Some(case) => Plan {
                kind: "corpus case",
                arguments: case.arguments(),
                client: Client::Waits,
                expect: Expect::Case(Expectation { max: None, ..case.expect.clone() }),
                budget: Duration::from_millis(self.times.wall),
            },
            None => small(&self.times, random),
        }
    }
}

/// Whether the case needs nothing of its own: no set-up beyond a shorter time, nothing before or after it.
fn fits(case: &Case, times: Times) -> bool {
    let Setup { host, policy, environment, arguments, local, act, recovers, upstream: _, script: _ } = &case.setup;
    let plain = *host == Host::Fixture && *act == Act::Call && *recovers;
    let bare = environment.is_empty() && arguments.is_empty() && local.is_empty() && case.background.is_empty();
    let timed = policy.is_empty() || (policy.len() == 1 && policy.contains_key(LimitId::WallMs.name()));
    // Cases of a failing upstream have one that fails in their way; those that measure a time have theirs.
    let upstream = case.setup.upstream == Setup::default().upstream;
    let own_time = case.expect.outcomes.iter().any(|outcome| match outcome {
        crate::corpus::Outcome::Failure(failure) => {
            failure.code == Code::DeadlineExceeded && failure.limit.is_some_and(|limit| limit != times.wall)
        }
        _ => false,
    });
    // One that needs longer than the soak allows would end differently.
    let long = policy.is_empty() && case.expect.max.is_some_and(|max| max > Duration::from_millis(times.wall * 8));
    case.kind == Kind::Script
        && plain
        && bare
        && timed
        && upstream
        && !own_time
        && !long
        && case.raw_arguments.is_none()
}

fn plan(kind: &'static str, code: &str, expect: Expect) -> Plan {
    let arguments = json!({ "code": code });
    Plan { kind, arguments, client: Client::Waits, expect, budget: Duration::ZERO }
}

fn cancelled(kind: &'static str, code: &str, after: Duration, expect: Expect) -> Plan {
    Plan { client: Client::Cancels(after), ..plan(kind, code, expect) }
}

fn small(_: &Times, random: &mut Random) -> Plan {
    let number = random.below(1_000_000);
    plan("small value", &format!("return {number} * 2"), Expect::Value((number * 2).into()))
}

fn console(_: &Times, random: &mut Random) -> Plan {
    let lines = random.below(300);
    plan(
        "console",
        &format!("for (let i = 0; i < {lines}; i++) console.log(i, 'a line'); return {lines}"),
        Expect::Value(lines.into()),
    )
}

fn large_result(_: &Times, random: &mut Random) -> Plan {
    // With its two quotes at most 48 KiB.
    let bytes = 40_000 + random.below(9_151);
    plan("large result", &format!("return 'x'.repeat({bytes})"), Expect::Text(bytes))
}

fn large_source(_: &Times, random: &mut Random) -> Plan {
    let text = "y".repeat(usize::try_from(20_000 + random.below(12_000)).unwrap_or(20_000));
    plan("large source", &format!("return '{text}'.length"), Expect::Value((text.len() as u64).into()))
}

fn computes(_: &Times, random: &mut Random) -> Plan {
    let rounds = 2_000 + random.below(20_000);
    let code = format!(
        "let o = []; for (let i = 0; i < {rounds}; i++) o.push({{ i }}); return o.map(x => x.i).filter(i => i % 2).length"
    );
    plan("computes", &code, Expect::Value((rounds / 2).into()))
}

const OPEN: &str = "const { snapshot_id } = await codemode.wit.open({ repo: 'demo/fixture' });";

fn opens_and_lists(_: &Times, _: &mut Random) -> Plan {
    let code =
        format!("{OPEN} return (await codemode.wit.list({{ snapshot_id, path: 'docs' }})).items.map(i => i.path)");
    plan("open, list", &code, Expect::Value(json!(["docs/guide.md", "docs/notes.md"])))
}

fn opens_and_searches(_: &Times, _: &mut Random) -> Plan {
    let code = format!(
        "{OPEN} return (await codemode.wit.searchCode({{ snapshot_id, queries: ['needle_in_the_fixture'] }})).returned_items"
    );
    plan("open, search", &code, Expect::Value(3.into()))
}

fn opens_and_reads(_: &Times, random: &mut Random) -> Plan {
    let lines = 1 + random.below(400);
    let code = format!(
        "{OPEN} const r = await codemode.wit.read({{ snapshot_id, path: 'data/sixty-thousand.txt', end_line: {lines} }}); \
         return r.text.length"
    );
    plan("open, read", &code, Expect::Value((lines * 100).into()))
}

fn four_at_once(_: &Times, _: &mut Random) -> Plan {
    let code = format!(
        "{OPEN} const all = await Promise.all(['docs', 'src', 'web', 'tools'].map(path => \
         codemode.wit.list({{ snapshot_id, path }}))); return all.map(page => page.returned_items)"
    );
    plan("four calls at once", &code, Expect::Value(json!([2, 2, 1, 1])))
}

/// Failures by their shortest script.
fn fails(_: &Times, random: &mut Random) -> Plan {
    type Row = (&'static str, Code, Option<Reason>);
    const ROWS: &[Row] = &[
        ("return 1 +", Code::CodeRejected, Some(Reason::SyntaxError)),
        ("throw new Error('x')", Code::CodeRejected, Some(Reason::UncaughtException)),
        ("await new Promise(() => {})", Code::CodeRejected, Some(Reason::NeverSettles)),
        ("return () => 1", Code::CodeRejected, Some(Reason::NotJson)),
        ("const a = []; for (;;) a.push(new Array(1000).fill(1))", Code::CodeRejected, Some(Reason::HeapLimit)),
        ("const f = () => f() + 1; return f()", Code::CodeRejected, Some(Reason::StackLimit)),
        ("return 'x'.repeat(50000)", Code::FinalResultBytesLimit, None),
        ("await codemode.wit.opne({})", Code::UnknownMethod, None),
        ("await codemode.wit.open({ repo: 5 })", Code::InvalidArguments, None),
        ("await codemode.wit.open({ repo: 'demo/fixture', ref: 'no-such-ref' })", Code::RefNotFound, None),
        ("await codemode.wit.list({ snapshot_id: 'snap_no' })", Code::SnapshotNotFound, None),
        ("for (let i = 0; i < 9; i++) await codemode.wit.refs({ repo: 'demo/fixture' })", Code::PagesLimit, None),
        ("for (let i = 0; i < 3; i++) await codemode.wit.open({ repo: 'demo/fixture' })", Code::SnapshotsLimit, None),
        (
            "await Promise.all([1, 2, 3, 4, 5].map(() => codemode.wit.refs({ repo: 'demo/fixture' })))",
            Code::HostConcurrencyLimit,
            None,
        ),
        (
            "for (let i = 0; i < 17; i++) { try { await codemode.wit.open({}) } catch (e) { if (i > 15) throw e } }",
            Code::HostCallsLimit,
            None,
        ),
        ("await codemode.wit.open({ repo: 'gone/away' })", Code::UpstreamUnavailable, None),
    ];
    match random.pick(ROWS) {
        Some((code, expected, reason)) => plan("script fails", code, Expect::Failure(*expected, *reason)),
        None => plan("script fails", "throw 1", Expect::Failure(Code::CodeRejected, Some(Reason::UncaughtException))),
    }
}

fn spins(times: &Times, _: &mut Random) -> Plan {
    let expect = Expect::Failure(Code::DeadlineExceeded, None);
    Plan { budget: Duration::from_millis(times.wall), ..plan("deadline, in JavaScript", "for (;;);", expect) }
}

fn spins_natively(times: &Times, _: &mut Random) -> Plan {
    let expect = Expect::Failure(Code::DeadlineExceeded, None);
    let code = "return String(new Array(1e9)).length";
    Plan { budget: Duration::from_millis(times.wall), ..plan("deadline, in native code", code, expect) }
}

/// An upstream that accepts and never answers.
const HANGS: &str = "return await codemode.wit.open({ repo: 'slow/upstream' })";

fn operation_hangs(times: &Times, _: &mut Random) -> Plan {
    let expect = Expect::Failure(Code::DeadlineExceeded, None);
    Plan { budget: Duration::from_millis(times.operation), ..plan("deadline, of an operation", HANGS, expect) }
}

fn cancelled_at_once(_: &Times, _: &mut Random) -> Plan {
    cancelled("cancelled at once", "for (;;);", Duration::ZERO, Expect::Silence)
}

fn cancelled_at_random(_: &Times, random: &mut Random) -> Plan {
    let after = Duration::from_micros(random.below(4_000));
    cancelled("cancelled at random", "return 7", after, Expect::SilenceOr(7.into()))
}

fn cancelled_while_spinning(_: &Times, random: &mut Random) -> Plan {
    let code = *random.pick(&["for (;;);", "return String(new Array(1e9)).length"]).unwrap_or(&"for (;;);");
    let after = Duration::from_millis(random.below(80));
    cancelled("cancelled while it runs", code, after, Expect::Silence)
}

fn cancelled_while_waiting(_: &Times, random: &mut Random) -> Plan {
    let after = Duration::from_millis(random.below(80));
    cancelled("cancelled with a call pending", HANGS, after, Expect::Silence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus;

    #[test]
    fn most_of_the_corpus_takes_part_and_every_kind_occurs() {
        let corpus = corpus::load(&corpus::directory()).expect("the corpus is good");
        let mix = Mix::new(corpus, Times { wall: 1000, operation: 1000 });
        assert!(mix.cases.len() > 200, "{} cases", mix.cases.len());
        let mut kinds: Vec<_> = (0..20_000).map(|n| mix.plan(&mut Random::stream(1, n)).kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        assert_eq!(kinds.len(), WEIGHTS.len() + 1, "{kinds:?}");
        assert!(WEIGHTS.iter().map(|(weight, _)| weight).sum::<u64>() < 1000);
    }
}
