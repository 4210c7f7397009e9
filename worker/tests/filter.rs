//! The compiled filter, executed here instruction by instruction, against a plain reading of the rules: on both
//! machines, for every number, for allowed and for perturbed arguments. The kernel's own verdict on the machine at hand
//! is the conformance crate's `sandbox` test.
#![cfg(target_os = "linux")]
#![allow(clippy::expect_used)]

use proptest::prelude::*;
use seccompiler::sock_filter;
use wit_worker::sandbox::rules::{Caller, RULES, Rule, admitted, perturbed};
use wit_worker::sandbox::{Architecture, compile_filter};

const CALLER: Caller = Caller { process: 4711, thread: 4711 };
const KILL_PROCESS: u32 = 0x8000_0000;
const ALLOW: u32 = 0x7fff_0000;
/// `AUDIT_ARCH_*` of linux/audit.h.
const I386: u32 = 0x4000_0003;
const ARM: u32 = 0x4000_0028;
const X86_64: u32 = 0xc000_003e;
const AARCH64: u32 = 0xc000_00b7;
const X32_BIT: u32 = 0x4000_0000;

fn audit(architecture: Architecture) -> u32 {
    match architecture {
        Architecture::X86_64 => X86_64,
        Architecture::Aarch64 => AARCH64,
    }
}

fn rule_of(architecture: Architecture, number: u32) -> Option<&'static Rule> {
    RULES.iter().find(|rule| architecture.number(rule) == number)
}

/// Classic BPF over a `struct seccomp_data`; the subset that system call filters consist of.
fn verdict(program: &[sock_filter], number: u32, audit: u32, arguments: &[u64; 6]) -> u32 {
    let mut data = Vec::from(number.to_le_bytes());
    data.extend(audit.to_le_bytes());
    data.extend(0_u64.to_le_bytes());
    data.extend(arguments.iter().flat_map(|argument| argument.to_le_bytes()));
    let mut accumulator = 0_u32;
    let mut at = 0;
    loop {
        let sock_filter { code, jt, jf, k } = program[at].clone();
        at += 1;
        let jump = |condition: bool| usize::from(if condition { jt } else { jf });
        match code {
            0x20 => {
                let word = data[k as usize..][..4].try_into().expect("four bytes");
                accumulator = u32::from_le_bytes(word);
            }
            0x54 => accumulator &= k,
            0x05 => at += k as usize,
            0x15 => at += jump(accumulator == k),
            0x25 => at += jump(accumulator > k),
            0x35 => at += jump(accumulator >= k),
            0x06 => return k,
            other => panic!("instruction {other:#x} is not one of a system call filter"),
        }
    }
}

fn each_architecture(check: impl Fn(Architecture, &[sock_filter])) {
    for architecture in [Architecture::X86_64, Architecture::Aarch64] {
        let program = compile_filter(architecture, CALLER.process, CALLER.thread).expect("the rules compile");
        check(architecture, &program);
    }
}

#[test]
fn a_number_without_a_rule_is_killed() {
    each_architecture(|architecture, program| {
        for number in (0..2048).chain([u32::MAX, i32::MAX as u32]) {
            if rule_of(architecture, number).is_none() {
                assert_eq!(verdict(program, number, audit(architecture), &[0; 6]), KILL_PROCESS, "{number}");
            }
        }
    });
}

#[test]
fn another_entry_into_the_kernel_is_killed_whatever_its_number() {
    each_architecture(|architecture, program| {
        for rule in RULES {
            let number = architecture.number(rule);
            for arguments in admitted(rule, CALLER) {
                assert_eq!(verdict(program, number, audit(architecture), &arguments), ALLOW, "{}", rule.name);
                assert_eq!(verdict(program, number | X32_BIT, audit(architecture), &arguments), KILL_PROCESS);
                for foreign in [I386, ARM, X86_64, AARCH64, 0].into_iter().filter(|arch| *arch != audit(architecture)) {
                    assert_eq!(verdict(program, number, foreign, &arguments), KILL_PROCESS, "{}", rule.name);
                }
            }
        }
    });
}

#[test]
fn one_flipped_bit_in_a_constrained_argument_is_killed() {
    each_architecture(|architecture, program| {
        for rule in RULES {
            let lists = perturbed(rule, CALLER);
            assert_eq!(lists.is_empty(), rule.constraints.is_empty(), "{}", rule.name);
            for arguments in lists {
                let verdict = verdict(program, architecture.number(rule), audit(architecture), &arguments);
                assert_eq!(verdict, KILL_PROCESS, "{} {arguments:x?}", rule.name);
            }
        }
    });
}

#[test]
fn numbers_are_this_machine_s_own() {
    let named: &[(&str, libc::c_long)] = &[
        ("read", libc::SYS_read),
        ("write", libc::SYS_write),
        ("writev", libc::SYS_writev),
        ("mmap", libc::SYS_mmap),
        ("munmap", libc::SYS_munmap),
        ("mremap", libc::SYS_mremap),
        ("brk", libc::SYS_brk),
        ("clock_gettime", libc::SYS_clock_gettime),
        ("gettimeofday", libc::SYS_gettimeofday),
        ("rt_sigprocmask", libc::SYS_rt_sigprocmask),
        ("gettid", libc::SYS_gettid),
        ("getpid", libc::SYS_getpid),
        ("tgkill", libc::SYS_tgkill),
        ("exit_group", libc::SYS_exit_group),
    ];
    assert_eq!(named.len(), RULES.len());
    let architecture = Architecture::native().expect("a machine with rules");
    for rule in RULES {
        let number = named.iter().find(|(name, _)| *name == rule.name).map(|(_, number)| *number);
        assert_eq!(number, Some(libc::c_long::from(architecture.number(rule))), "{}", rule.name);
    }
}

proptest! {
    #[test]
    fn filter_and_reading_agree_on_anything(index in 0..RULES.len(), near in any::<bool>(), pick in any::<prop::sample::Index>(), noise in any::<[u64; 6]>()) {
        let rule = &RULES[index];
        // Half of the time every unconstrained argument is noise around an admitted list, else everything is.
        let mut arguments = noise;
        if near {
            let lists = admitted(rule, CALLER);
            let list = lists[pick.index(lists.len())];
            for constraint in rule.constraints {
                arguments[usize::from(constraint.argument)] = list[usize::from(constraint.argument)];
            }
        }
        each_architecture(|architecture, program| {
            let expected = if rule.admits(&arguments, CALLER) { ALLOW } else { KILL_PROCESS };
            assert_eq!(verdict(program, architecture.number(rule), audit(architecture), &arguments), expected);
        });
    }
}
