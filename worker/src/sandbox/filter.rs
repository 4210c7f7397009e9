//! Compiles the allow-list to BPF and installs it. Default: the whole process is killed.
//!
//! The program begins with the architecture: a call through another entry (`int 0x80` on x86_64) is judged by its own
//! architecture and ends the process. An x32 call has bit 30 set in its number, so it equals no row.
#![allow(unsafe_code)]

use std::collections::BTreeMap;
use std::io;

use rustix::process::getpid;
use rustix::thread::gettid;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, sock_filter,
};

use super::error::LockdownError;
use super::rules::{Accepts, Constraint, RULES, Rule, Width};

/// The machines the rules have numbers for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Architecture {
    /// x86_64.
    X86_64,
    /// aarch64, little-endian.
    Aarch64,
}

impl Architecture {
    /// The machine this was built for; `None` where there are no rules.
    #[must_use]
    pub const fn native() -> Option<Self> {
        if cfg!(target_arch = "x86_64") {
            Some(Self::X86_64)
        } else if cfg!(target_arch = "aarch64") {
            Some(Self::Aarch64)
        } else {
            None
        }
    }

    /// A rule's number on this machine.
    #[must_use]
    pub const fn number(self, rule: &Rule) -> u32 {
        match self {
            Self::X86_64 => rule.x86_64,
            Self::Aarch64 => rule.aarch64,
        }
    }

    const fn target(self) -> TargetArch {
        match self {
            Self::X86_64 => TargetArch::x86_64,
            Self::Aarch64 => TargetArch::aarch64,
        }
    }
}

/// The filter for a process with this id and thread id.
///
/// # Errors
/// When the rules cannot be expressed; a test compiles them for both machines.
pub fn compile(architecture: Architecture, process: u32, thread: u32) -> Result<BpfProgram, LockdownError> {
    let failed = |error: seccompiler::BackendError| LockdownError::CompileFilter(error.to_string());
    let mut rules = BTreeMap::new();
    for rule in RULES {
        let mut alternatives: Vec<Vec<SeccompCondition>> = vec![Vec::new()];
        for constraint in rule.constraints {
            // Every alternative so far, combined with every value this argument may have.
            let conditions = conditions(constraint, process, thread).map_err(failed)?;
            alternatives = alternatives
                .iter()
                .flat_map(|so_far| {
                    conditions.iter().map(|condition| so_far.iter().chain([condition]).cloned().collect())
                })
                .collect();
        }
        let chain = if rule.constraints.is_empty() {
            Vec::new()
        } else {
            alternatives.into_iter().map(SeccompRule::new).collect::<Result<_, _>>().map_err(failed)?
        };
        rules.insert(i64::from(architecture.number(rule)), chain);
    }
    SeccompFilter::new(rules, SeccompAction::KillProcess, SeccompAction::Allow, architecture.target())
        .and_then(TryInto::try_into)
        .map_err(failed)
}

fn conditions(
    constraint: &Constraint,
    process: u32,
    thread: u32,
) -> Result<Vec<SeccompCondition>, seccompiler::BackendError> {
    let width = match constraint.width {
        Width::Bits32 => SeccompCmpArgLen::Dword,
        Width::Bits64 => SeccompCmpArgLen::Qword,
    };
    let equal = |value: u64| SeccompCondition::new(constraint.argument, width.clone(), SeccompCmpOp::Eq, value);
    match constraint.accepts {
        Accepts::OneOf(values) => values.iter().map(|(value, _)| equal(*value)).collect(),
        Accepts::Within(mask, _) => {
            Ok(vec![SeccompCondition::new(constraint.argument, width.clone(), SeccompCmpOp::MaskedEq(!mask), 0)?])
        }
        Accepts::OwnProcess => Ok(vec![equal(process.into())?]),
        Accepts::OwnThread => Ok(vec![equal(thread.into())?]),
    }
}

/// What `seccomp(2)` takes: a length and an array.
#[repr(C)]
struct Program {
    length: libc::c_ushort,
    instructions: *const sock_filter,
}

/// Installs the filter on the calling thread, the only one. Nothing can take it off.
pub(super) fn install() -> Result<(), LockdownError> {
    let Some(architecture) = Architecture::native() else { return Err(LockdownError::Unsupported) };
    let process = getpid().as_raw_pid().unsigned_abs();
    let thread = gettid().as_raw_pid().unsigned_abs();
    let instructions = compile(architecture, process, thread)?;
    let length = libc::c_ushort::try_from(instructions.len())
        .map_err(|_| LockdownError::CompileFilter("too many instructions".to_owned()))?;
    let program = Program { length, instructions: instructions.as_ptr() };
    // seccomp(SECCOMP_SET_MODE_FILTER, 0, &program). Not through seccompiler, which would set no_new_privs by itself
    // and hide a missing layer.
    // SAFETY: `program` describes `instructions`, and both live until the kernel has copied them.
    let outcome = unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, 0, &raw const program) };
    if outcome == 0 { Ok(()) } else { Err(LockdownError::InstallFilter(io::Error::last_os_error())) }
}
