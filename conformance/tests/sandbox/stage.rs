//! The stage of the probes, with this test's own program on it, and the form of its trials.

use std::path::Path;
use std::sync::Arc;

pub(crate) use conformance::probe::stage::{Stage, Who, words};
use libtest_mimic::{Failed, Trial};

/// Sets the stage for the probe program that was built with this test.
pub(crate) fn set() -> anyhow::Result<Stage> {
    Stage::set(Path::new(env!("CARGO_BIN_EXE_probe")))
}

/// Adds one trial.
pub(crate) fn trial(
    trials: &mut Vec<Trial>,
    stage: &Arc<Stage>,
    name: String,
    run: impl FnOnce(&Stage) -> anyhow::Result<()> + Send + 'static,
) {
    let stage = Arc::clone(stage);
    trials.push(Trial::test(name, move || run(&stage).map_err(|error| Failed::from(format!("{error:#}")))));
}
