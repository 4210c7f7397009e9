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
    let arguments = libtest_mimic::Arguments::from_args();
    let stage = match stage::set() {
        Ok(stage) => std::sync::Arc::new(stage),
        Err(error) => {
            eprintln!("the stage cannot be set: {error:#}");
            return ExitCode::FAILURE;
        }
    };
    let mut trials = Vec::new();
    for who in stage.identities() {
        layers::add(&mut trials, &stage, who);
        lives::add(&mut trials, &stage, who);
        sweeps::add(&mut trials, &stage, who);
        real::add(&mut trials, &stage, who);
    }
    stage::trial(&mut trials, &stage, "rules/none-is-redundant".to_owned(), usage::no_redundant_rules);
    libtest_mimic::run(&arguments, trials).exit_code()
}

#[cfg(not(target_os = "linux"))]
fn main() -> ExitCode {
    println!("no lockdown on this platform: Code Mode refuses with sandbox_unavailable");
    ExitCode::SUCCESS
}
