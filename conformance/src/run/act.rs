//! Plays the client's part of a case: background scripts, the call, what the client does to it, and the next call.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::client::Server;
use crate::corpus::{Act, Case, Observed};
use crate::foreign::{Dialect, Times};
use crate::process::Process;
use crate::run::place::Place;

/// Processor time, in clock ticks, after which a worker is running a script: start-up takes a fraction of it.
const BUSY_TICKS: u64 = 6;
/// An id that no request has.
const UNKNOWN_ID: u64 = 987_654_321;

/// What the case's own call came to.
pub(super) struct Seen {
    pub(super) observed: Observed,
    pub(super) result: Option<Value>,
    pub(super) elapsed: Duration,
    pub(super) faults: Vec<String>,
}

/// How the client talks, and how long it waits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Client<'a> {
    pub(super) dialect: &'a Dialect,
    pub(super) times: Times,
}

pub(super) fn play(
    server: &mut Server,
    case: &Case,
    place: &Place,
    recovers: bool,
    client: Client<'_>,
) -> Result<Seen> {
    let Client { dialect, times } = client;
    server.initialize(times.start)?;
    let mut background = Vec::new();
    let mut asked = 0;
    for script in case.background.iter().flat_map(|script| std::iter::repeat_n(script, script.times)) {
        // Calls for one and the same repository would share one connection.
        let source = script.source.replace("$N", &background.len().to_string());
        let id = client.call(server, &json!({ "code": source }))?;
        if script.waiting_calls > 0 {
            asked += script.waiting_calls;
            if !place.upstream.wait_until_asked(asked, times.start) {
                bail!("the background script was not seen waiting");
            }
            background.push((id, None));
        } else {
            let worker = server.wait_for_busy_worker(BUSY_TICKS, times.start);
            background.push((id, Some(worker.context("the background script was not seen running")?)));
        }
    }
    let mut seen = client.own_call(server, case, place)?;
    if matches!(case.setup.act, Act::KillServer | Act::CloseStdin) {
        return Ok(seen);
    }
    for (id, worker) in background {
        server.cancel(id)?;
        if let Some(worker) = worker {
            server.wait_until_one_is_gone(&[worker].into(), times.answer);
        }
    }
    for (index, step) in case.then.iter().enumerate() {
        let (observed, elapsed, faults) = client.call_and_wait(server, &json!({ "code": step.source }))?;
        seen.faults.extend(faults);
        if let Err(difference) = dialect.check(&step.expect, &observed, elapsed) {
            seen.faults.push(format!("step {} after it: {difference}", index + 1));
        }
    }
    if recovers {
        let ended = Instant::now();
        let observed = loop {
            let (observed, _, faults) = client.call_and_wait(server, &json!({ "code": "return 1" }))?;
            seen.faults.extend(faults);
            // A background script has just been withdrawn: its process is gone, its slot follows.
            if case.background.is_empty() || !is_full(&observed) || ended.elapsed() > times.end {
                break observed;
            }
        };
        if !matches!(&observed, Observed::Success(object) if object.get("value") == Some(&json!(1))) {
            seen.faults.push(format!("the next call did not work: {}", observed.shown()));
        }
    } else if case.setup.act == Act::Call {
        // A worker that misbehaves does so again; what a client did to the first call is not repeated.
        let (observed, elapsed, faults) = client.call_and_wait(server, &case.arguments())?;
        seen.faults.extend(faults);
        if let Err(difference) = dialect.check(&case.expect, &observed, elapsed) {
            seen.faults.push(format!("the next call ended differently: {difference}"));
        }
    }
    if !dialect.is_exact() {
        // How many processes a foreign server keeps is its own business.
        return Ok(seen);
    }
    let spares = spares(case);
    if let Err(left) = server.wait_for_idle(spares, times.end) {
        seen.faults.push(format!("{} workers are left where {spares} spare may be", left.len()));
    }
    Ok(seen)
}

/// Whether a call was turned away because others have all slots.
fn is_full(observed: &Observed) -> bool {
    let Observed::Failure(object) = observed else { return false };
    let code = object.get("code").and_then(Value::as_str);
    matches!(code, Some("server_invocations_limit" | "server_workers_limit"))
}

/// What is done to the idle spares before the call.
fn prepare(server: &mut Server, case: &Case, times: Times) -> Result<Vec<Process>> {
    if !matches!(case.setup.act, Act::KillSpare | Act::StopSpare | Act::KillHandedOver) {
        return Ok(Vec::new());
    }
    let spares = spares(case);
    let idle = server.wait_for_idle_workers(spares, times.start).context("the spares were not seen waiting")?;
    for spare in &idle {
        match case.setup.act {
            Act::KillSpare => server.kill(*spare)?,
            _ => server.stop(*spare)?,
        }
    }
    Ok(idle.into_iter().collect())
}

fn spares(case: &Case) -> usize {
    let spares = case.setup.policy.get("spare_workers").and_then(toml::Value::as_integer).unwrap_or(1);
    usize::try_from(spares).unwrap_or_default()
}

impl Client<'_> {
    /// The call the case is about, and what its client does meanwhile.
    fn own_call(self, server: &mut Server, case: &Case, place: &Place) -> Result<Seen> {
        let idle = prepare(server, case, self.times)?;
        let began = Instant::now();
        let id = match &case.raw_arguments {
            Some(raw) => server.request_raw("tools/call", &self.dialect.raw_parameters(raw))?,
            None => self.call(server, &case.arguments())?,
        };
        match case.setup.act {
            Act::Call | Act::Start | Act::KillSpare | Act::StopSpare => Ok(self.waited(server, id, began)),
            Act::KillHandedOver => {
                for spare in idle {
                    // The server may have seen that it stands, and replaced it already.
                    drop(server.kill(spare));
                }
                Ok(self.waited(server, id, began))
            }
            Act::CancelAtOnce => {
                server.cancel(id)?;
                self.withdrawn(server, id, began)
            }
            Act::CancelStarting => {
                if !server.wait_for_an_idle_worker(self.times.start) {
                    bail!("no worker was seen to start");
                }
                let cancelled = Instant::now();
                server.cancel(id)?;
                self.withdrawn(server, id, cancelled)
            }
            Act::CancelFinished => {
                let seen = self.waited(server, id, began);
                for id in [id, id, UNKNOWN_ID] {
                    server.cancel(id)?;
                }
                Ok(seen)
            }
            Act::CancelRunning => {
                let worker = self.busy(server)?;
                let cancelled = Instant::now();
                server.cancel(id)?;
                server.wait_until_one_is_gone(&[worker].into(), self.times.answer);
                self.withdrawn(server, id, cancelled)
            }
            Act::CancelWaiting => {
                if !place.upstream.wait_until_asked(1, self.times.start) {
                    bail!("the upstream was never asked");
                }
                let workers = server.workers();
                let cancelled = Instant::now();
                server.cancel(id)?;
                // One of these ran the script; a spare among them stays.
                server.wait_until_one_is_gone(&workers, self.times.answer);
                self.withdrawn(server, id, cancelled)
            }
            Act::KillWorker => {
                let worker = self.busy(server)?;
                let killed = Instant::now();
                server.kill(worker)?;
                Ok(self.waited(server, id, killed))
            }
            Act::StopWorker => {
                let worker = self.busy(server)?;
                server.stop(worker)?;
                // Its budget has run since the call.
                Ok(self.waited(server, id, began))
            }
            Act::KillWaiting | Act::StopWaiting => {
                if !place.upstream.wait_until_asked(1, self.times.start) {
                    bail!("the upstream was never asked");
                }
                let done = Instant::now();
                // Spares may be among them: an idle one that is lost costs nothing.
                for worker in server.workers() {
                    match case.setup.act {
                        Act::KillWaiting => server.kill(worker)?,
                        _ => server.stop(worker)?,
                    }
                }
                Ok(self.waited(server, id, done))
            }
            Act::KillServer => {
                self.busy(server)?;
                server.kill_server()?;
                Ok(self.waited(server, id, Instant::now()))
            }
            Act::CloseStdin => {
                self.busy(server)?;
                server.close();
                Ok(self.waited(server, id, Instant::now()))
            }
        }
    }

    fn busy(self, server: &mut Server) -> Result<Process> {
        server.wait_for_busy_worker(BUSY_TICKS, self.times.start).context("the worker was not seen running the script")
    }

    fn call(self, server: &mut Server, arguments: &Value) -> Result<u64> {
        server.request("tools/call", &self.dialect.parameters(arguments))
    }

    fn call_and_wait(self, server: &mut Server, arguments: &Value) -> Result<(Observed, Duration, Vec<String>)> {
        let began = Instant::now();
        let id = self.call(server, arguments)?;
        let seen = self.waited(server, id, began);
        Ok((seen.observed, seen.elapsed, seen.faults))
    }

    fn waited(self, server: &mut Server, id: u64, began: Instant) -> Seen {
        match server.wait(id, self.times.answer) {
            Some((answer, arrived)) => {
                let (observed, result, faults) = self.dialect.read(&answer);
                Seen { observed, result, elapsed: arrived.saturating_duration_since(began), faults }
            }
            None => Seen { observed: Observed::NoAnswer, result: None, elapsed: began.elapsed(), faults: Vec::new() },
        }
    }

    /// What became of a withdrawn request. A protocol may answer it or not, so a later request's answer is the proof that
    /// none will come.
    fn withdrawn(self, server: &mut Server, id: u64, cancelled: Instant) -> Result<Seen> {
        let elapsed = cancelled.elapsed();
        let fence = server.request("ping", &json!({}))?;
        if server.wait(fence, self.times.answer).is_none() {
            bail!("the server stopped answering after a cancellation");
        }
        let Some((answer, _)) = server.wait(id, Duration::ZERO) else {
            return Ok(Seen { observed: Observed::NoAnswer, result: None, elapsed, faults: Vec::new() });
        };
        let (observed, result, faults) = self.dialect.read(&answer);
        // An answer in the form of a protocol error is as good as none here.
        let faults = if result.is_none() { Vec::new() } else { faults };
        let observed = if result.is_none() { Observed::NoAnswer } else { observed };
        Ok(Seen { observed, result, elapsed, faults })
    }
}
