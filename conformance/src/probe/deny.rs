//! `deny WHAT=ERRNO,… -- COMMAND…`: runs a command on a kernel that seems to lack something.
//!
//! A filter makes the calls fail with the given error for the command and everything it starts: a worker of a real
//! `wit` then cannot lock itself down, and Code Mode has to refuse.

use std::collections::BTreeMap;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
};

/// Installs the filter and becomes the command.
///
/// # Errors
/// Arguments that mean nothing, or a command that cannot be run.
pub fn run(mut arguments: impl Iterator<Item = String>) -> Result<ExitCode, String> {
    let denials = arguments.next().unwrap_or_default();
    if arguments.next().as_deref() != Some("--") {
        return Err("usage: deny WHAT=ERRNO,… -- COMMAND…".to_owned());
    }
    for denial in denials.split(',') {
        let (what, error) = denial.split_once('=').ok_or("not WHAT=ERRNO")?;
        install(what, error.parse().map_err(|_| "the error is a number")?)?;
    }
    let program = arguments.next().ok_or("no command")?;
    Err(Command::new(program).args(arguments).exec().to_string())
}

fn install(what: &str, error: u32) -> Result<(), String> {
    let condition = |argument, operator, value| {
        SeccompCondition::new(argument, SeccompCmpArgLen::Qword, operator, value)
            .and_then(|condition| SeccompRule::new(vec![condition]))
            .map(|rule| vec![rule])
            .map_err(|error| error.to_string())
    };
    let calls: Vec<(i64, Vec<SeccompRule>)> = match what {
        "seccomp" => vec![(libc::SYS_seccomp, Vec::new())],
        "landlock" => vec![
            (libc::SYS_landlock_create_ruleset, Vec::new()),
            (libc::SYS_landlock_add_rule, Vec::new()),
            (libc::SYS_landlock_restrict_self, Vec::new()),
        ],
        // Nothing the worker needs: it is the server that then starts it from its own executable.
        "memory_files" => vec![(libc::SYS_memfd_create, Vec::new())],
        "descriptors" => vec![(libc::SYS_close_range, Vec::new())],
        "no_new_privs" => {
            vec![(libc::SYS_prctl, condition(0, SeccompCmpOp::Eq, libc::PR_SET_NO_NEW_PRIVS as u64)?)]
        }
        "parent_death" => vec![(libc::SYS_prctl, condition(0, SeccompCmpOp::Eq, libc::PR_SET_PDEATHSIG as u64)?)],
        // Setting, not reading.
        "rlimits" => vec![(libc::SYS_prlimit64, condition(2, SeccompCmpOp::Ne, 0)?)],
        _ => return Err(format!("cannot deny {what}")),
    };
    let machine = std::env::consts::ARCH.try_into().map_err(|_| "no filter for this machine")?;
    let rules: BTreeMap<_, _> = calls.into_iter().collect();
    let filter: BpfProgram = SeccompFilter::new(rules, SeccompAction::Allow, SeccompAction::Errno(error), machine)
        .and_then(TryInto::try_into)
        .map_err(|error| error.to_string())?;
    seccompiler::apply_filter(&filter).map_err(|error| error.to_string())
}
