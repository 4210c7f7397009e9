//! The gate: one named test a case against the real binary, and the checks of the corpus itself.
//!
//! Filter by id, list with `--list`, choose the binary with `WIT_CONFORMANCE_BIN`. Cases for the in-process host run
//! in the server's `session_corpus` test, since they need its operations replaced.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use conformance::corpus::{self, Case, Corpus, Host, Kind};
use conformance::coverage::{self, Exceptions};
use conformance::frames;
use conformance::parallel::twice_the_processors;
use conformance::run::Kit;
use conformance::snapshot;
use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // Most cases wait for a budget to end rather than compute, so twice the processors is not too much.
    arguments.test_threads.get_or_insert_with(twice_the_processors);

    let corpus = match corpus::load(&corpus::directory()) {
        Ok(corpus) => Arc::new(corpus),
        Err(error) => return refuse(&error.to_string()),
    };
    // Listing needs no binary.
    let kit = match (!arguments.list).then(Kit::new).transpose() {
        Ok(kit) => kit,
        Err(error) => return refuse(&format!("{error:#}")),
    };
    let cases = corpus.cases.iter().filter(|case| case.setup.host == Host::Fixture).map(|case| {
        let (kit, case) = (kit.clone(), case.clone());
        Trial::test(case.id.clone(), move || kit.map_or(Ok(()), |kit| check(&kit, &case)))
    });
    let trials = std::iter::once(coverage_trial(&corpus)).chain(cases).collect();
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn refuse(why: &str) -> ExitCode {
    eprintln!("the gate cannot run: {why}");
    ExitCode::FAILURE
}

fn check(kit: &Kit, case: &Case) -> Result<(), Failed> {
    let report = match case.kind {
        Kind::Script => kit.run(case)?,
        Kind::Frames(_) => frames::perform::run(kit, Path::new(env!("CARGO_BIN_EXE_hostile_worker")), case)
            .map_err(|error| format!("{error:#}"))?,
    };
    if let Some(failure) = report.failure(case) {
        return Err(failure.into());
    }
    if case.snapshot {
        match (report.result, report.observed) {
            (Some(result), _) => snapshot::check(&case.id, &result),
            // A server that refuses to start answers no call: its line on stderr is the envelope.
            (None, corpus::Observed::Failure(object)) => snapshot::check(&case.id, &object),
            _ => return Err("a case with a snapshot needs an answer".into()),
        }
    }
    Ok(())
}

fn coverage_trial(corpus: &Arc<Corpus>) -> Trial {
    let corpus = Arc::clone(corpus);
    Trial::test("coverage::ledger", move || {
        let gaps = coverage::gaps(&corpus, &Exceptions::load()?);
        if gaps.is_empty() { Ok(()) } else { Err(gaps.join("\n").into()) }
    })
}
