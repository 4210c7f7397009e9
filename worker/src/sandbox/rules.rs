//! The system call allow-list as data. What is not a row here ends the process with SIGSYS.
//!
//! A row is one system call, the constraints its arguments must meet, and the reason it is there. The filter, the
//! probes, the count in `wit doctor` and the table in `docs/sandbox.md` all come from these rows. A test fails on a row
//! that no run uses, unless [`Rule::kept`] says why it stays.

use std::fmt::Write as _;

/// One allowed system call.
#[derive(Debug)]
pub struct Rule {
    /// Its name.
    pub name: &'static str,
    /// Its number on x86_64.
    pub x86_64: u32,
    /// Its number on aarch64.
    pub aarch64: u32,
    /// What its arguments must be; all must hold. None: any arguments.
    pub constraints: &'static [Constraint],
    /// Why the worker needs it.
    pub reason: &'static str,
    /// Why it stays although no run of the corpus makes the call; `None` when runs do.
    pub kept: Option<&'static str>,
}

/// What one argument must be.
#[derive(Debug)]
pub struct Constraint {
    /// Its position, from 0.
    pub argument: u8,
    /// Its name in the manual page.
    pub name: &'static str,
    /// How much of the register the kernel looks at.
    pub width: Width,
    /// The values that pass.
    pub accepts: Accepts,
}

/// How much of an argument register counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    /// The kernel takes an `int` or `unsigned int`: the low 32 bits.
    Bits32,
    /// The kernel takes a `long` or a pointer: all 64 bits.
    Bits64,
}

/// The values of an argument that pass. Each comes with the words for it.
#[derive(Debug)]
pub enum Accepts {
    /// Exactly one of these.
    OneOf(&'static [(u64, &'static str)]),
    /// Any combination of these bits and no other.
    Within(u64, &'static str),
    /// This process's id, known when the filter is made.
    OwnProcess,
    /// This process's only thread's id, known when the filter is made.
    OwnThread,
}

use Accepts::{OneOf, OwnProcess, OwnThread, Within};
use Width::{Bits32, Bits64};

const fn any(name: &'static str, x86_64: u32, aarch64: u32, reason: &'static str) -> Rule {
    Rule { name, x86_64, aarch64, constraints: &[], reason, kept: None }
}

const fn only(
    name: &'static str,
    x86_64: u32,
    aarch64: u32,
    constraints: &'static [Constraint],
    reason: &'static str,
) -> Rule {
    Rule { name, x86_64, aarch64, constraints, reason, kept: None }
}

const fn argument(argument: u8, name: &'static str, width: Width, accepts: Accepts) -> Constraint {
    Constraint { argument, name, width, accepts }
}

impl Rule {
    const fn kept(self, why: &'static str) -> Self {
        Self { kept: Some(why), ..self }
    }
}

/// Who asks: what a rule may compare arguments with besides constants.
#[derive(Debug, Clone, Copy)]
pub struct Caller {
    /// Its process id.
    pub process: u32,
    /// Its thread id.
    pub thread: u32,
}

impl Rule {
    /// Whether the rule lets a call with these arguments pass. The probes compare this reading of the rows with what
    /// the kernel does with the compiled filter.
    #[must_use]
    pub fn admits(&self, arguments: &[u64; 6], caller: Caller) -> bool {
        self.constraints.iter().all(|constraint| {
            arguments.get(usize::from(constraint.argument)).is_some_and(|value| constraint.admits(*value, caller))
        })
    }
}

impl Constraint {
    /// Whether an argument register may hold a value.
    #[must_use]
    pub fn admits(&self, register: u64, caller: Caller) -> bool {
        let value = match self.width {
            Bits32 => register & u64::from(u32::MAX),
            Bits64 => register,
        };
        match self.accepts {
            OneOf(values) => values.iter().any(|(accepted, _)| *accepted == value),
            Within(mask, _) => value & !mask == 0,
            OwnProcess => value == u64::from(caller.process),
            OwnThread => value == u64::from(caller.thread),
        }
    }

    /// Values that pass: every one of a list, and both ends of a set of bits.
    #[must_use]
    pub fn examples(&self, caller: Caller) -> Vec<u64> {
        match self.accepts {
            OneOf(values) => values.iter().map(|(value, _)| *value).collect(),
            Within(mask, _) => vec![0, mask],
            OwnProcess => vec![caller.process.into()],
            OwnThread => vec![caller.thread.into()],
        }
    }

    /// How many low bits of the register the kernel looks at.
    #[must_use]
    pub const fn bits(&self) -> u32 {
        match self.width {
            Bits32 => u32::BITS,
            Bits64 => u64::BITS,
        }
    }
}

/// Argument lists that a rule lets pass: every combination of its constraints' examples, other arguments zero.
#[must_use]
pub fn admitted(rule: &Rule, caller: Caller) -> Vec<[u64; 6]> {
    let mut lists = vec![[0; 6]];
    for constraint in rule.constraints {
        lists = lists
            .into_iter()
            .flat_map(|list| {
                constraint.examples(caller).into_iter().map(move |value| {
                    let mut list = list;
                    if let Some(slot) = list.get_mut(usize::from(constraint.argument)) {
                        *slot = value;
                    }
                    list
                })
            })
            .collect();
    }
    lists
}

/// Argument lists that a rule must not let pass: each admitted one with one bit of one constrained argument flipped.
#[must_use]
pub fn perturbed(rule: &Rule, caller: Caller) -> Vec<[u64; 6]> {
    let mut lists = Vec::new();
    for list in admitted(rule, caller) {
        for constraint in rule.constraints {
            for bit in 0..constraint.bits() {
                let mut list = list;
                if let Some(slot) = list.get_mut(usize::from(constraint.argument)) {
                    *slot ^= 1 << bit;
                }
                if !rule.admits(&list, caller) {
                    lists.push(list);
                }
            }
        }
    }
    lists
}

const CRASH_ONLY: &str = "No script is known to crash the worker; the probes `abort` and `double_free` do.";
const SLOW_CLOCK_ONLY: &str =
    "The vDSO answers without a system call, except on machines whose clock source it cannot read.";

/// The whole allow-list.
pub const RULES: &[Rule] = &[
    only("read", 0, 63, &[argument(0, "fd", Bits32, OneOf(&[(0, "0")]))], "Frames from the parent."),
    only(
        "write",
        1,
        64,
        &[argument(0, "fd", Bits32, OneOf(&[(1, "1"), (2, "2")]))],
        "Frames to the parent; the text of a panic to stderr, of which the parent keeps the length only.",
    ),
    only(
        "writev",
        20,
        66,
        &[argument(0, "fd", Bits32, OneOf(&[(2, "2")]))],
        "The C library's last words (heap corruption, a failed assertion) before it aborts.",
    )
    .kept(CRASH_ONLY),
    only(
        "mmap",
        9,
        222,
        &[
            argument(2, "prot", Bits64, Within(0x3, "PROT_READ | PROT_WRITE")),
            argument(3, "flags", Bits64, OneOf(&[(0x22, "MAP_PRIVATE | MAP_ANONYMOUS")])),
            argument(4, "fd", Bits32, OneOf(&[(0xffff_ffff, "-1")])),
        ],
        "Large blocks of the allocator. Never a file, never at a chosen address, never executable.",
    ),
    any("munmap", 11, 215, "Gives large blocks back."),
    only(
        "mremap",
        25,
        216,
        &[argument(3, "flags", Bits64, OneOf(&[(1, "MREMAP_MAYMOVE")]))],
        "Grows and shrinks large blocks without copying.",
    ),
    any("brk", 12, 214, "Small blocks of the allocator."),
    only(
        "clock_gettime",
        228,
        113,
        &[argument(0, "clockid", Bits32, OneOf(&[(0, "CLOCK_REALTIME"), (1, "CLOCK_MONOTONIC")]))],
        "The deadline and Date.",
    )
    .kept(SLOW_CLOCK_ONLY),
    only(
        "gettimeofday",
        96,
        169,
        &[argument(1, "tz", Bits64, OneOf(&[(0, "NULL")]))],
        "Date, as the engine asks for it.",
    )
    .kept(SLOW_CLOCK_ONLY),
    only(
        "rt_sigprocmask",
        14,
        135,
        &[argument(0, "how", Bits32, OneOf(&[(1, "SIG_UNBLOCK")]))],
        "First step of abort(): a crash must end as SIGABRT, to be told from a violation.",
    )
    .kept(CRASH_ONLY),
    any("gettid", 186, 178, "Second step of abort().").kept(CRASH_ONLY),
    any("getpid", 39, 172, "Third step of abort().").kept(CRASH_ONLY),
    only(
        "tgkill",
        234,
        131,
        &[
            argument(0, "tgid", Bits32, OwnProcess),
            argument(1, "tid", Bits32, OwnThread),
            argument(2, "sig", Bits32, OneOf(&[(6, "SIGABRT")])),
        ],
        "Last step of abort(): SIGABRT to itself and nothing else to nobody else.",
    )
    .kept(CRASH_ONLY),
    any("exit_group", 231, 94, "The end."),
];

/// How many rules have no constraint, and how many have.
#[must_use]
pub fn counts() -> (usize, usize) {
    let free = RULES.iter().filter(|rule| rule.constraints.is_empty()).count();
    (free, RULES.len() - free)
}

/// The table of `docs/sandbox.md`, in Markdown.
#[must_use]
pub fn markdown() -> String {
    let mut table = String::from(
        "| system call | x86_64 | aarch64 | arguments | why | although unused |\n|---|---:|---:|---|---|---|\n",
    );
    for rule in RULES {
        let arguments = rule.constraints.iter().map(Constraint::text).collect::<Vec<_>>().join("; ");
        let arguments = if arguments.is_empty() { "any".to_owned() } else { arguments };
        let kept = rule.kept.unwrap_or("");
        let Rule { name, x86_64, aarch64, reason, .. } = rule;
        let _ = writeln!(table, "| `{name}` | {x86_64} | {aarch64} | {arguments} | {reason} | {kept} |");
    }
    table
}

impl Constraint {
    /// The constraint in words, for tables.
    #[must_use]
    pub fn text(&self) -> String {
        let accepted = match &self.accepts {
            OneOf(values) => values
                .iter()
                .map(|(_, word)| format!("`{}`", word.replace('|', "\\|")))
                .collect::<Vec<_>>()
                .join(" or "),
            Within(_, words) => format!("within `{}`", words.replace('|', "\\|")),
            OwnProcess => "its own process".to_owned(),
            OwnThread => "its own thread".to_owned(),
        };
        format!("{} {accepted}", self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_a_reason_and_a_number_of_its_own() {
        for (index, rule) in RULES.iter().enumerate() {
            assert!(rule.reason.len() > 5, "{}", rule.name);
            for other in &RULES[index + 1..] {
                assert_ne!(rule.name, other.name);
                assert_ne!(rule.x86_64, other.x86_64, "{} {}", rule.name, other.name);
                assert_ne!(rule.aarch64, other.aarch64, "{} {}", rule.name, other.name);
            }
        }
    }

    #[test]
    fn fewer_calls_are_free_than_in_the_sandboxes_we_compare_with() {
        let (free, constrained) = counts();
        assert!(free <= 12, "{free} calls without argument constraint");
        assert_eq!(free + constrained, RULES.len());
    }
}
