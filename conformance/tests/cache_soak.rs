//! A short cache soak: four servers, a few dozen opens, a kill every third of a second. The long one is the program
//! `cache-soak`.

use std::time::Duration;

use conformance::binary;
use conformance::cache_soak::{Options, run};

#[test]
fn servers_that_are_killed_leave_the_cache_whole() -> anyhow::Result<()> {
    let report = run(&Options {
        binary: binary::locate()?,
        servers: 4,
        // A bound for a machine that is very busy; the rounds end it.
        time: Duration::from_secs(60),
        rounds: 30,
        kill_every: Duration::from_millis(300),
        room: 4,
        seed: 1,
    })?;
    assert!(report.faults.is_empty(), "{report}");
    Ok(())
}
