//! What is done to workers while nobody else calls: kills, stops, and more calls than there is room for.
//!
//! A script cannot tell which process runs it, so a wave starts as many alike as it needs, does something to some of
//! their processes, and demands exactly so many verdicts of each kind.

use std::time::Duration;

use rustix::process::Signal;
use serde_json::json;
use wit_worker::registry::{Code, Reason};

use super::mix::Expect;
use super::wire::Pending;
use super::{Floor, house};
use crate::corpus::Observed;
use crate::process::Process;
use crate::random::Random;

/// Processor time, in clock ticks, after which a worker is running its script.
const BUSY_TICKS: u64 = 4;
/// The longest wait for workers to be seen at work, or idle.
const SEEN: Duration = Duration::from_secs(10);

/// What can be done.
#[derive(Debug, Clone, Copy)]
pub(super) enum Wave {
    /// SIGKILL to some of the workers that run a script.
    KillRunning,
    /// SIGSTOP to some of them.
    StopRunning,
    /// SIGKILL to the idle spares; calls follow at once.
    KillSpares,
    /// SIGSTOP to the idle spares; calls follow at once.
    StopSpares,
    /// The spares are stopped, calls follow, and the spares are killed with scripts in their pipes.
    KillHandedOver,
    /// Twice as many calls as may run.
    Burst,
}

/// All of them.
pub(super) const WAVES: &[Wave] =
    &[Wave::KillRunning, Wave::StopRunning, Wave::KillSpares, Wave::StopSpares, Wave::KillHandedOver, Wave::Burst];

impl Wave {
    /// Its name in the report.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::KillRunning => "kill -9 of running workers",
            Self::StopRunning => "SIGSTOP of running workers",
            Self::KillSpares => "kill -9 of idle spares",
            Self::StopSpares => "SIGSTOP of idle spares",
            Self::KillHandedOver => "kill -9 of spares at hand-over",
            Self::Burst => "burst over capacity",
        }
    }
}

/// Does one, while no other invocation runs. Faults are told to the floor.
pub(super) fn play(floor: &Floor<'_>, wave: Wave, random: &mut Random) -> anyhow::Result<()> {
    let spares = usize::try_from(floor.policy.spares)?;
    let Some(idle) = house::idle(floor.site.process, spares, SEEN) else {
        floor.fault(wave.name(), &format!("the spares did not come back: {}", house::shown(floor.site.process)));
        return Ok(());
    };
    match wave {
        Wave::KillRunning => running(floor, wave, Signal::KILL, random),
        Wave::StopRunning => running(floor, wave, Signal::STOP, random),
        Wave::KillSpares => lost_spares(floor, wave, &idle, &[Signal::KILL], &[]),
        Wave::StopSpares => lost_spares(floor, wave, &idle, &[Signal::STOP], &[]),
        Wave::KillHandedOver => lost_spares(floor, wave, &idle, &[Signal::STOP], &[Signal::KILL]),
        Wave::Burst => burst(floor, wave),
    }
}

/// Workers that spin; some are sent the signal, the others meet their deadline.
fn running(floor: &Floor<'_>, wave: Wave, signal: Signal, random: &mut Random) -> anyhow::Result<()> {
    let count = usize::try_from(floor.options.concurrency)?;
    let calls = (0..count).map(|_| floor.call("for (;;);")).collect::<anyhow::Result<Vec<_>>>()?;
    let hit = 1 + random.below(floor.options.concurrency);
    match house::busy(floor.site.process, count, BUSY_TICKS, SEEN) {
        Some(busy) => send(&busy.into_iter().take(usize::try_from(hit)?).collect::<Vec<_>>(), signal),
        None => {
            let seen = house::shown(floor.site.process);
            floor.fault(wave.name(), &format!("the workers were not seen at work: {seen}"));
        }
    }
    let killed = Expect::Failure(Code::WorkerExited, Some(Reason::Crashed));
    let late = Expect::Failure(Code::DeadlineExceeded, None);
    let hit = if signal == Signal::KILL { hit } else { 0 };
    demand(floor, wave, &calls, &[(hit, killed), (count as u64 - hit, late)], floor.wall());
    Ok(())
}

/// Spares that are lost before or while they are handed a script: every call must succeed.
fn lost_spares(
    floor: &Floor<'_>,
    wave: Wave,
    idle: &[Process],
    before: &[Signal],
    after: &[Signal],
) -> anyhow::Result<()> {
    before.iter().for_each(|signal| send(idle, *signal));
    let calls = (0..=idle.len()).map(|_| floor.call("return 1 + 1")).collect::<anyhow::Result<Vec<_>>>()?;
    after.iter().for_each(|signal| send(idle, *signal));
    demand(floor, wave, &calls, &[(calls.len() as u64, Expect::Value(2.into()))], Duration::ZERO);
    Ok(())
}

/// More at once than the policy allows: so many run, the others fail at once for capacity.
fn burst(floor: &Floor<'_>, wave: Wave) -> anyhow::Result<()> {
    let room = floor.policy.workers.min(floor.policy.invocations);
    let code = "const began = Date.now(); while (Date.now() - began < 300); return 1";
    let calls = (0..room * 2).map(|_| floor.call(code)).collect::<anyhow::Result<Vec<_>>>()?;
    let full = if floor.policy.invocations <= floor.policy.workers {
        Code::ServerInvocationsLimit
    } else {
        Code::ServerWorkersLimit
    };
    let expected = [(room, Expect::Value(1.into())), (room, Expect::Failure(full, None))];
    // More than the processors can run at once, so their own clock runs longer than their work.
    demand(floor, wave, &calls, &expected, floor.wall());
    Ok(())
}

fn send(to: &[Process], signal: Signal) {
    for process in to {
        // One that has ended meanwhile is as good as killed.
        drop(process.signal(signal));
    }
}

/// The verdicts must be exactly so many of each.
fn demand(floor: &Floor<'_>, wave: Wave, calls: &[Pending], expected: &[(u64, Expect)], budget: Duration) {
    let mut left: Vec<u64> = expected.iter().map(|(count, _)| *count).collect();
    for call in calls {
        let (observed, elapsed) = floor.answer(wave.name(), call, budget);
        let kind = expected
            .iter()
            .zip(&mut left)
            .find(|((_, expect), left)| **left > 0 && expect.check(&observed, elapsed).is_ok());
        match kind {
            Some((_, left)) => *left -= 1,
            None => floor.fault(wave.name(), &format!("one verdict too many of: {}", shown(&observed))),
        }
    }
}

fn shown(observed: &Observed) -> String {
    match observed {
        Observed::NoAnswer => json!("no answer").to_string(),
        other => other.shown(),
    }
}
