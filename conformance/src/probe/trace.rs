//! `trace FILE -- COMMAND…`: runs a worker and counts the system calls it makes after its filter is installed.
//!
//! The counts go to the file, one `number count` a line, so that a test can tell which rules of the allow-list a run
//! used. Standard streams are the command's; its end becomes ours.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use rustix::process::{Pid, WaitOptions, waitpid};

use super::raw::{fork, syscall};

/// Kill the traced process when we die; mark stops at system calls.
const OPTIONS: u64 = (libc::PTRACE_O_EXITKILL | libc::PTRACE_O_TRACESYSGOOD) as u64;
/// Microseconds of CPU the command may use: a few times what a script under the test's budget needs.
const CPU_MICROSECONDS: u64 = 500_000;
/// How a stop at a system call is marked.
const SYSCALL_STOP: i32 = libc::SIGTRAP | 0x80;
/// `PTRACE_SYSCALL_INFO_*` of linux/ptrace.h.
const ENTRY: u64 = 1;
const EXIT: u64 = 2;

/// Runs the command to its end under trace.
///
/// # Errors
/// Arguments that mean nothing, or tracing that is not possible here.
pub fn run(mut arguments: impl Iterator<Item = String>) -> Result<ExitCode, String> {
    let file = arguments.next().unwrap_or_default();
    if arguments.next().as_deref() != Some("--") {
        return Err("usage: trace FILE -- COMMAND…".to_owned());
    }
    let program = arguments.next().ok_or("no command")?;
    let child = fork().map_err(failed("fork"))?;
    if child == 0 {
        request(libc::PTRACE_TRACEME, 0, 0, 0)?;
        // A timer outlives the exec: SIGPROF ends what no engine interrupt can, as the parent's watchdog would.
        let timer = [0, 0, 0, CPU_MICROSECONDS];
        let call = [libc::ITIMER_PROF as u64, timer.as_ptr() as u64, 0, 0, 0, 0];
        syscall(libc::SYS_setitimer, call).map_err(failed("setitimer"))?;
        return Err(Command::new(program).args(arguments).env_clear().exec().to_string());
    }
    let (counts, code) = follow(child)?;
    let lines: String = counts.iter().map(|(number, count)| format!("{number} {count}\n")).collect();
    fs::write(&file, lines).map_err(|error| format!("{file}: {error}"))?;
    Ok(ExitCode::from(code))
}

fn follow(child: u32) -> Result<(BTreeMap<u64, u64>, u8), String> {
    let pid = Pid::from_raw(child.cast_signed()).ok_or("fork gave no id")?;
    let wait = || -> Result<_, String> {
        let waited = waitpid(Some(pid), WaitOptions::empty()).map_err(|error| error.to_string())?;
        Ok(waited.ok_or("no status")?.1)
    };
    // The first stop is the exec.
    wait()?;
    request(libc::PTRACE_SETOPTIONS, child, 0, OPTIONS)?;
    let mut counts = BTreeMap::new();
    let mut called = 0;
    let mut filtered = false;
    let mut signal = 0;
    loop {
        request(libc::PTRACE_SYSCALL, child, 0, signal)?;
        signal = 0;
        let status = wait()?;
        if let Some(code) = status.exit_status() {
            return Ok((counts, u8::try_from(code).unwrap_or(u8::MAX)));
        }
        if let Some(killed) = status.terminating_signal() {
            // As a shell says it.
            return Ok((counts, u8::try_from(128 + killed).unwrap_or(u8::MAX)));
        }
        match status.stopping_signal() {
            Some(SYSCALL_STOP) => {
                // struct ptrace_syscall_info: a kind in the first byte; number or value in the fourth word.
                let mut information = [0_u64; 11];
                let size = size_of_val(&information) as u64;
                request(libc::PTRACE_GET_SYSCALL_INFO, child, size, information.as_mut_ptr() as u64)?;
                match information[0] & 0xff {
                    ENTRY => {
                        called = information[3];
                        if filtered {
                            *counts.entry(called).or_insert(0) += 1;
                        }
                    }
                    EXIT if called == libc::SYS_seccomp.cast_unsigned() && information[3] == 0 => filtered = true,
                    _ => {}
                }
            }
            Some(libc::SIGTRAP) | None => {}
            Some(other) => signal = u64::from(other.unsigned_abs()),
        }
    }
}

fn request(operation: libc::c_uint, child: u32, address: u64, data: u64) -> Result<u64, String> {
    syscall(libc::SYS_ptrace, [operation.into(), child.into(), address, data, 0, 0]).map_err(failed("ptrace"))
}

fn failed(what: &'static str) -> impl Fn(i32) -> String {
    move |number| format!("{what}: {}", std::io::Error::from_raw_os_error(number))
}
