//! The worker's lockdown, proved (I2, I3, I5, I10): every attack of the probe program under the full lockdown, every
//! layer by itself, every system call number, every constrained argument.
//!
//! As root each trial runs twice: started by root, which the lockdown turns into nobody, and started by nobody. As
//! anyone else it runs once. `docs/sandbox.md` says how to read and to run the list.

use std::process::ExitCode;

#[cfg(target_os = "linux")]
#[path = "sandbox/layers.rs"]
mod layers;
#[cfg(target_os = "linux")]
#[path = "sandbox/lives.rs"]
mod lives;
#[cfg(target_os = "linux")]
#[path = "sandbox/real.rs"]
mod real;
#[cfg(target_os = "linux")]
#[path = "sandbox/stage.rs"]
mod stage;
#[cfg(target_os = "linux")]
#[path = "sandbox/sweeps.rs"]
mod sweeps;
#[cfg(target_os = "linux")]
#[path = "sandbox/usage.rs"]
mod usage;

#[cfg(target_os = "linux")]
fn main() -> ExitCode {
    let mut arguments = libtest_mimic::Arguments::from_args();
    // Most trials wait for another process.
    arguments.test_threads.get_or_insert_with(conformance::parallel::twice_the_processors);
    let stage = match stage::set() {
        Ok(stage) => std::sync::Arc::new(stage),
        Err(error) => {
            eprintln!("the stage cannot be set: {error:#}");
            return ExitCode::FAILURE;
        }
    };
    let mut trials = Vec::new();
    // What takes longest begins first.
    stage::trial(&mut trials, &stage, "rules/none-is-redundant".to_owned(), usage::no_redundant_rules);
    for who in stage.identities() {
        sweeps::add(&mut trials, &stage, who);
        real::add(&mut trials, &stage, who);
        lives::add(&mut trials, &stage, who);
    }
    for who in stage.identities() {
        if let Err(error) = layers::add(&mut trials, &stage, who) {
            eprintln!("the attacks cannot be tried: {error:#}");
            return ExitCode::FAILURE;
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    println!("no lockdown on this platform: Code Mode refuses with sandbox_unavailable");
    ExitCode::SUCCESS
}
