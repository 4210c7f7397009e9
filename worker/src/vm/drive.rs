//! From source to outcome: compile, call, pump jobs, wait for the host, serialize.

use std::ffi::CString;
use std::hash::{BuildHasher as _, RandomState};

use rquickjs::promise::PromiseState;
use rquickjs::{Ctx, Promise, Value};
use serde_json::value::RawValue;

use super::bridge::Bridge;
use super::raw::{self, StackBand};
use super::serialize::{COUNT_LIMIT, Refusal, Surrogates, serialize};
use super::source::{self, Program, Script, SourceRefusal};
use super::verdict::{Judge, deadline, over_limit, rejected};
use super::{Host, HostGone};
use crate::protocol::ScriptError;
use crate::registry::{Code, Reason};

type Verdict = Result<Box<RawValue>, ScriptError>;

/// Runs one script to its outcome.
pub(super) fn drive(
    ctx: &Ctx<'_>,
    bridge: &Bridge,
    source: &[u8],
    stack_bytes: usize,
    host: &mut dyn Host,
) -> Result<Verdict, HostGone> {
    raw::measure_stack_from_here(ctx);
    let band = StackBand::paint(stack_bytes);
    let limits = bridge.limits();
    if source.len() as u64 > limits.source_bytes {
        let what = format!("The source is {} bytes", source.len());
        return Ok(Err(over_limit(Code::SourceBytesLimit, &what, source.len() as u64, limits.source_bytes)));
    }
    let script = match source::read(source) {
        Ok(script) => script,
        Err(refusal) => return Ok(Err(refused(refusal))),
    };
    let (program, compiled) = prepare(ctx, script);
    let judge = Judge { bridge, band, program: &program, script };
    let started = match compiled {
        Ok(code) => start(ctx, &judge, code),
        Err(exception) => Err(judge.compile_failure(ctx, &exception)),
    };
    let promise = match started {
        Ok(promise) => promise,
        Err(error) => return Ok(Err(error)),
    };
    loop {
        match promise.state() {
            PromiseState::Resolved => return Ok(finish(ctx, &judge, &promise)),
            PromiseState::Rejected => return Ok(Err(judge.uncaught(ctx, &outcome_of(ctx, &promise)))),
            PromiseState::Pending => {}
        }
        if bridge.clock.expired() {
            return Ok(Err(deadline(limits.wall_ms)));
        }
        // After each job, so that the host works while JavaScript goes on, and has seen the calls on whose account a
        // guard of ours refuses the next one.
        send_queued(bridge, host)?;
        if ctx.execute_pending_job() {
            continue;
        }
        if !bridge.is_waiting() {
            // The engine drops a job that it has no memory to queue, and nobody is told.
            if bridge.heap.was_refused() {
                return Ok(Err(judge.heap_full()));
            }
            let message = "The script awaits a promise that nothing can settle: no job is pending and no host call \
                           is outstanding. Resolve it, or do not await it.";
            return Ok(Err(rejected(Reason::NeverSettles, message)));
        }
        let answer = bridge.clock.paused(|| host.receive())?;
        let outcome = answer.outcome.as_ref().map(|json| json.get()).map_err(Clone::clone);
        if !bridge.settle(ctx, answer.call, outcome) {
            return Err(HostGone);
        }
    }
}

fn send_queued(bridge: &Bridge, host: &mut dyn Host) -> Result<(), HostGone> {
    let Some(mut queued) = bridge.next_queued() else {
        return Ok(());
    };
    bridge.clock.paused(|| {
        loop {
            let arguments = RawValue::from_string(queued.arguments).map_err(|_| HostGone)?;
            host.send(queued.call, queued.operation, &arguments)?;
            match bridge.next_queued() {
                Some(next) => queued = next,
                None => return host.flush(),
            }
        }
    })
}

fn refused(refusal: SourceRefusal) -> ScriptError {
    let message = match refusal {
        SourceRefusal::Nul { offset } => format!("The source holds U+0000 at byte {offset}; write \\u0000 in strings."),
        SourceRefusal::NotUtf8 { offset } => format!("The source is not UTF-8 at byte {offset}."),
    };
    rejected(Reason::SyntaxError, message)
}

/// The program for a script, its body or the call of the one expression it is, and its bytecode or the exception
/// that compiling gave.
fn prepare<'js>(ctx: &Ctx<'js>, script: Script<'_>) -> (Program, Result<Value<'js>, Value<'js>>) {
    let compiles = |proof: &Program| {
        compile(ctx, proof).is_some() || {
            ctx.catch();
            false
        }
    };
    let callable = source::callable(script.text)
        .filter(|callable| source::proofs(*callable).iter().all(|proof| compiles(&source::wrap_proof(proof, nonce()))));
    if let Some(callable) = callable {
        let program = source::wrap_call(script, callable, nonce());
        let compiled = compile(ctx, &program).ok_or_else(|| ctx.catch());
        return (program, compiled);
    }
    let program = source::wrap_body(script);
    let Some(code) = compile(ctx, &program) else {
        return (program, Err(ctx.catch()));
    };
    let labelled = source::wrap_labelled(script, nonce());
    if compile(ctx, &labelled).is_some() {
        return (program, Ok(code));
    }
    let exception = ctx.catch();
    if source::method_proofs(script).iter().all(compiles) { (program, Ok(code)) } else { (labelled, Err(exception)) }
}

fn compile<'js>(ctx: &Ctx<'js>, program: &Program) -> Option<Value<'js>> {
    // The source was checked to hold no U+0000.
    let text = CString::new(program.text.as_str()).ok()?;
    raw::compile(ctx, &text, program.line)
}

/// Proves that the program is one function with exactly the text it was given, and calls it.
fn start<'js>(ctx: &Ctx<'js>, judge: &Judge<'_>, code: Value<'js>) -> Result<Promise<'js>, ScriptError> {
    // Evaluates one function expression: nothing of the script's.
    let Some(function) = raw::run_compiled(ctx, code) else {
        return Err(judge.uncaught(ctx, &ctx.catch()));
    };
    let bridge = judge.bridge;
    let intact =
        bridge.heap.unlimited(|| bridge.intrinsics().function_is(ctx, &function, judge.program.function_text()));
    let Some(function) = function.into_function().filter(|_| intact) else {
        return Err(rejected(Reason::SyntaxError, "The script is not the body of one function."));
    };
    let started: rquickjs::Result<Value<'js>> = function.call(());
    match started.map(Value::into_promise) {
        Ok(Some(promise)) => Ok(promise),
        Ok(None) => Err(rejected(Reason::UncaughtException, "The script gave no promise.")),
        Err(_) => Err(judge.uncaught(ctx, &ctx.catch())),
    }
}

/// What a settled promise holds.
fn outcome_of<'js>(ctx: &Ctx<'js>, promise: &Promise<'js>) -> Value<'js> {
    match promise.result::<Value<'js>>() {
        Some(Ok(value)) => value,
        Some(Err(_)) => ctx.catch(),
        None => Value::new_undefined(ctx.clone()),
    }
}

/// Serializes the value the script returned.
fn finish<'js>(ctx: &Ctx<'js>, judge: &Judge<'_>, promise: &Promise<'js>) -> Verdict {
    let bridge = judge.bridge;
    let limits = bridge.limits();
    let value = outcome_of(ctx, promise);
    let budget = usize::try_from(limits.final_result_bytes).unwrap_or(usize::MAX);
    let classes = &bridge.intrinsics().classes;
    match serialize(&value, budget, Surrogates::Replace, classes, &bridge.heap, &bridge.clock) {
        Ok(json) => {
            RawValue::from_string(json).map_err(|_| rejected(Reason::NotJson, "The value at $ has no JSON form."))
        }
        Err(Refusal::NotJson { path, hint }) => Err(rejected(Reason::NotJson, format!("{path}: {hint}"))),
        Err(Refusal::TooLarge(measured)) => {
            let more = if measured > COUNT_LIMIT { " or more" } else { "" };
            let what = format!("The result is {measured} bytes{more} of JSON");
            Err(over_limit(Code::FinalResultBytesLimit, &what, measured as u64, limits.final_result_bytes))
        }
        Err(Refusal::Thrown) => Err(judge.uncaught(ctx, &ctx.catch())),
        Err(Refusal::Deadline) => Err(deadline(limits.wall_ms)),
    }
}

/// A number no source can have known: keyed by randomness of the system's that never left this process.
///
/// The standard library draws the key once, before lockdown; each call uses the next one.
fn nonce() -> u64 {
    RandomState::new().hash_one(LABEL_DOMAIN)
}

const LABEL_DOMAIN: &str = "wit label";
