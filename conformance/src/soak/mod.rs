//! The soak: thousands of invocations of the real binary over MCP, mixed by a seed, each held to its own verdict.
//!
//! Successes, every failure a script can bring about, cancellations at random moments, kills and stops of workers and
//! of idle spares, and bursts beyond capacity. What a short test cannot show is whether anything is left behind each
//! time: processes, zombies, directories, descriptors, memory (I10). They are counted while nothing runs.

pub mod command;
mod house;
mod mix;
mod report;
mod site;
mod upstream;
mod waves;
mod wire;

use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use serde_json::json;

use crate::corpus::{self, Observed};
use crate::frames::to_parent::{MENU, Stage, file_name};
use crate::frames::{self, Direction, generate};
use crate::random::Random;
use crate::run::answer;
use mix::{Client, Expect, Mix, Plan, Times};
pub use report::{Report, Row};
use site::{Policy, Site};
use waves::WAVES;
use wire::{Pending, lock};

/// The longest a server may take to start.
const START: Duration = Duration::from_secs(20);
/// The longest a server may take to end, and to be quiet.
const END: Duration = Duration::from_secs(5);
/// How long an answer is waited for beyond its bound, before it counts as lost.
const LOST: Duration = Duration::from_secs(30);
/// Waves, of 1000 draws.
const WAVES_IN_1000: u64 = 6;
/// After so many invocations memory, descriptors and threads have found their size.
const WARM: u64 = 1000;
/// Faults that are told one by one.
const TOLD: usize = 40;

/// What to run.
#[derive(Debug, Clone)]
pub struct Options {
    /// The program under test.
    pub binary: PathBuf,
    /// Invocations, at least.
    pub invocations: u64,
    /// Calls at once, 1 to 8.
    pub concurrency: u64,
    /// Chooses the mix.
    pub seed: u64,
    /// JavaScript time of the server's policy, in milliseconds.
    pub wall_ms: u64,
    /// How much later than its budget an answer may be.
    pub slack: Duration,
    /// The built `hostile_worker`, to have its frames instead of scripts in a genuine worker.
    pub hostile_worker: Option<PathBuf>,
}

/// What all threads of a run share.
struct Floor<'a> {
    options: &'a Options,
    policy: Policy,
    site: &'a Site,
    act: Act,
    /// Held shared by calls, and alone by waves and by looks at what the server holds.
    quiet: RwLock<()>,
    next: AtomicU64,
    tally: Mutex<Tally>,
    /// Withdrawn requests, with their kind and what they may be answered.
    withdrawn: Mutex<HashMap<u64, (&'static str, Expect)>>,
}

/// What plays at the worker's end.
enum Act {
    /// The genuine worker runs scripts.
    Scripts(Mix),
    /// The hostile worker plays generated frames.
    Frames(Vec<generate::Generated>),
}

/// What was seen.
#[derive(Default)]
struct Tally {
    times: BTreeMap<&'static str, Vec<Duration>>,
    outcomes: BTreeMap<String, u64>,
    faults: Vec<String>,
    fault_count: u64,
    late: u64,
    latest: Duration,
    marks: Vec<house::Mark>,
}

/// Runs a soak.
///
/// # Errors
/// When it cannot be run at all; whatever the server does wrong is in the report.
pub fn run(options: &Options) -> Result<Report> {
    let times = Times { wall: options.wall_ms, operation: options.wall_ms };
    // Room beside the callers: a withdrawn invocation gives its place back a little after its client has gone.
    let room = (options.concurrency * 2).clamp(2, 16);
    let policy = Policy { times, invocations: room, workers: room, spares: 1 };
    let corpus = corpus::load(&corpus::directory())?;
    let (act, stage) = match &options.hostile_worker {
        None => (Act::Scripts(Mix::new(corpus, times)), None),
        Some(program) => {
            let cases: Vec<_> =
                generate::cases(Direction::ToParent).into_iter().filter(|case| !case.before_execute).collect();
            let stage = Stage::with_menu(program, &cases)?;
            (Act::Frames(cases), Some(stage))
        }
    };
    let program = stage.as_ref().map(Stage::program);
    let site = Site::start(&options.binary, policy, program.as_deref())?;
    let began = Instant::now();
    let mut tally = {
        let floor = Floor {
            options,
            policy,
            site: &site,
            act,
            quiet: RwLock::new(()),
            next: AtomicU64::new(0),
            tally: Mutex::default(),
            withdrawn: Mutex::default(),
        };
        std::thread::scope(|scope| {
            for _ in 0..options.concurrency {
                scope.spawn(|| {
                    if let Err(error) = floor.lane() {
                        floor.fault("lane", &format!("{error:#}"));
                    }
                });
            }
        });
        floor.mark(options.invocations);
        floor.tally.into_inner().unwrap_or_else(PoisonError::into_inner)
    };
    let took = began.elapsed();
    let closed = site.close()?;
    if let Some(stage) = stage {
        tally.faults.extend(stage.faults(&frames::parse(MENU, Direction::ToParent)?)?);
    }
    Ok(Report::new(options, took, tally, closed))
}

impl Floor<'_> {
    /// One caller: draws invocations until there are none left.
    fn lane(&self) -> Result<()> {
        let interval = (self.options.invocations / 20).max(WARM);
        loop {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            if index >= self.options.invocations {
                return Ok(());
            }
            let mut random = Random::stream(self.options.seed, index);
            if index == WARM || (index > 0 && index.is_multiple_of(interval)) {
                let _alone = self.quiet.write().unwrap_or_else(PoisonError::into_inner);
                self.mark(index);
            }
            let scripts = matches!(self.act, Act::Scripts(_));
            if scripts && random.below(1000) < WAVES_IN_1000 {
                let _alone = self.quiet.write().unwrap_or_else(PoisonError::into_inner);
                if let Some(wave) = random.pick(WAVES) {
                    waves::play(self, *wave, &mut random)?;
                }
            } else {
                let _shared = self.quiet.read().unwrap_or_else(PoisonError::into_inner);
                let plan = self.plan(&mut random);
                self.play(&plan).with_context(|| format!("invocation {index}"))?;
            }
        }
    }

    fn plan(&self, random: &mut Random) -> Plan {
        match &self.act {
            Act::Scripts(mix) => mix.plan(random),
            Act::Frames(cases) => {
                let (name, expect) = match random.pick(cases) {
                    Some(case) => (file_name(&case.id), Expect::Failure(case.code, None)),
                    None => (String::new(), Expect::Any),
                };
                let arguments = json!({ "code": name });
                Plan { kind: "hostile frames", arguments, client: Client::Waits, expect, budget: self.wall() }
            }
        }
    }

    fn play(&self, plan: &Plan) -> Result<()> {
        let call = self.site.wire.call(&plan.arguments)?;
        match plan.client {
            Client::Waits => {
                let (observed, elapsed) = self.answer(plan.kind, &call, plan.budget);
                if let Err(difference) = plan.expect.check(&observed, elapsed) {
                    self.fault(plan.kind, &format!("{difference}\n    for {}", plan.arguments));
                }
            }
            Client::Cancels(after) => {
                // The moment is random on purpose; nothing waits for it.
                std::thread::sleep(after);
                let expect = match &plan.expect {
                    Expect::SilenceOr(value) => Expect::SilenceOr(value.clone()),
                    _ => Expect::Silence,
                };
                lock(&self.withdrawn).insert(call.id, (plan.kind, expect));
                lock(&self.tally).times.entry(plan.kind).or_default().push(call.sent.elapsed());
                self.site.wire.cancel(call)?;
            }
        }
        Ok(())
    }

    fn call(&self, code: &str) -> Result<Pending> {
        self.site.wire.call(&json!({ "code": code }))
    }

    fn wall(&self) -> Duration {
        Duration::from_millis(self.policy.times.wall)
    }

    /// Waits for an answer and notes its time; one that is later than its budget and the slack is noted as late.
    fn answer(&self, kind: &'static str, call: &Pending, budget: Duration) -> (Observed, Duration) {
        let bound = budget.max(self.wall()) + self.options.slack;
        let Some((answer, arrived)) = call.wait(bound + LOST) else {
            return (Observed::NoAnswer, call.sent.elapsed());
        };
        let elapsed = arrived.saturating_duration_since(call.sent);
        let (observed, _, form) = answer::read(&answer);
        form.iter().for_each(|fault| self.fault(kind, fault));
        let outcome = match &observed {
            Observed::Success(_) => "success".to_owned(),
            Observed::Failure(object) => {
                let word = |name: &str| object.get(name).and_then(serde_json::Value::as_str);
                let reason = word("reason").map(|reason| format!(" ({reason})")).unwrap_or_default();
                format!("{}{reason}", word("code").unwrap_or("no code"))
            }
            Observed::NoAnswer => "no answer".to_owned(),
        };
        let mut tally = lock(&self.tally);
        tally.times.entry(kind).or_default().push(elapsed);
        *tally.outcomes.entry(outcome).or_default() += 1;
        if elapsed > bound {
            tally.late += 1;
            tally.latest = tally.latest.max(elapsed - bound);
        }
        (observed, elapsed)
    }

    fn fault(&self, kind: &str, what: &str) {
        let mut tally = lock(&self.tally);
        tally.fault_count += 1;
        if tally.faults.len() < TOLD {
            tally.faults.push(format!("{kind}: {what}"));
        }
    }

    /// Looks at what the server holds, and at what came for withdrawn requests. To be called while nothing runs.
    fn mark(&self, invocations: u64) {
        let spares = usize::try_from(self.policy.spares).unwrap_or_default();
        let mark = house::look(self.site.process, spares, &self.site.temporary, END);
        if mark.children > spares || mark.zombies > 0 || mark.temporary > 0 {
            self.fault(
                "house",
                &format!(
                    "after {invocations} invocations the server holds {mark:?}: {}",
                    house::shown(self.site.process)
                ),
            );
        }
        lock(&self.tally).marks.push(house::Mark { invocations, ..mark });
        self.site.wire.faults().iter().for_each(|fault| self.fault("stdout", fault));
        let mut withdrawn = lock(&self.withdrawn);
        for (id, answer) in self.site.wire.late() {
            let (observed, ..) = answer::read(&answer);
            match withdrawn.remove(&id) {
                Some((kind, expect)) => {
                    if let Err(difference) = expect.check(&observed, Duration::ZERO) {
                        self.fault(kind, &difference);
                    }
                }
                None => self.fault("cancellation", "a withdrawn request was answered long afterwards"),
            }
        }
        withdrawn.clear();
    }
}
