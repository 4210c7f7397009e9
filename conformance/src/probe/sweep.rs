//! Every system call number and every constrained argument, each in a process of its own.
//!
//! One unlocked process forks a child a try; the child locks down, makes the one call and leaves. A line is printed for
//! each: what was tried, and how the child ended. The test that starts this judges the lines.

use std::process::ExitCode;

use rustix::process::{Pid, WaitOptions, waitpid};
use wit_worker::sandbox::rules::{Caller, RULES, Rule, admitted, perturbed};
use wit_worker::sandbox::{self, Architecture, Layers};

use super::raw;
use super::roles::print;

/// Numbers tried. The kernel's largest is below 500 on both machines; new ones are added at the end.
pub const NUMBERS: u32 = 1024;
/// Bit 30 makes a number an x32 call on `x86_64`, and an unknown one elsewhere.
pub const X32_BIT: u32 = 0x4000_0000;

/// Prints `number END` for every number, plain and with [`X32_BIT`], all arguments zero.
///
/// # Errors
/// When a child cannot be made or waited for.
pub fn numbers() -> Result<ExitCode, String> {
    for number in (0..NUMBERS).chain((0..NUMBERS).map(|number| number | X32_BIT)).chain([u32::MAX, i32::MAX as u32]) {
        let end = in_locked_child(|| raw::syscall(i64::from(number), [0; 6]).is_ok())?;
        print(&format!("{number} {end}\n"));
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints `admitted NAME INDEX END` and `perturbed NAME INDEX END` for every argument list of every rule.
///
/// # Errors
/// When a child cannot be made or waited for, or on a machine without rules.
pub fn arguments() -> Result<ExitCode, String> {
    let architecture = Architecture::native().ok_or("no rules for this machine")?;
    let kinds: [(&str, Lists); 2] = [("admitted", admitted), ("perturbed", perturbed)];
    for (kind, list) in kinds {
        for rule in RULES {
            let number = i64::from(architecture.number(rule));
            for index in 0..list(rule, caller()).len() {
                // The child's own ids are part of some lists.
                let end = in_locked_child(|| {
                    list(rule, caller()).get(index).is_some_and(|arguments| raw::syscall(number, *arguments).is_ok())
                })?;
                print(&format!("{kind} {} {index} {end}\n", rule.name));
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

type Lists = fn(&Rule, Caller) -> Vec<[u64; 6]>;

fn caller() -> Caller {
    let thread = rustix::thread::gettid().as_raw_pid().unsigned_abs();
    Caller { process: std::process::id(), thread }
}

/// Exit status of a child whose call came back with success.
pub const SUCCEEDED: u8 = 10;
/// Exit status of a child whose call came back with an error.
pub const REFUSED: u8 = 11;

/// Makes a call in a locked-down child: `exited N` or `killed N`.
fn in_locked_child(call: impl FnOnce() -> bool) -> Result<String, String> {
    let child = raw::fork().map_err(|number| format!("fork: error {number}"))?;
    if child == 0 {
        if sandbox::apply(Layers::ALL).is_err() {
            sandbox::exit::leave(sandbox::exit::SANDBOX_UNAVAILABLE);
        }
        sandbox::exit::leave(if call() { SUCCEEDED } else { REFUSED });
    }
    let pid = Pid::from_raw(child.cast_signed()).ok_or("fork gave no id")?;
    let (_, status) =
        waitpid(Some(pid), WaitOptions::empty()).map_err(|error| error.to_string())?.ok_or("no status")?;
    Ok(match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => format!("exited {code}"),
        (_, Some(signal)) => format!("killed {signal}"),
        _ => "unknown 0".to_owned(),
    })
}
