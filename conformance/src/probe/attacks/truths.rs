//! What must go on working, and deaths that must tell their cause (DESIGN §4: `crashed` is not `sandbox_violation`).

use std::collections::HashMap;
use std::hint::black_box;
use std::time::{Instant, SystemTime};

use super::super::{Expect, Outcome, raw};
use super::Attack;

pub(super) const ATTACKS: &[Attack] = &[
    Attack {
        name: "nothing",
        what: "A locked-down process can speak and leave.",
        full: Expect::Success,
        arms: &[],
        run: |_| Outcome::Succeeded,
    },
    Attack {
        name: "clocks",
        what: "Time can be told.",
        full: Expect::Success,
        arms: &[],
        run: |_| {
            black_box((Instant::now(), SystemTime::now()));
            let mut time = [0_u64; 2];
            let clock = raw::syscall(libc::SYS_clock_gettime, [1, time.as_mut_ptr() as u64, 0, 0, 0, 0]);
            let day = raw::syscall(libc::SYS_gettimeofday, [time.as_mut_ptr() as u64, 0, 0, 0, 0, 0]);
            clock.and(day).map_or_else(Outcome::Refused, |_| Outcome::Succeeded)
        },
    },
    Attack {
        name: "local_time",
        what: "Local time is UTC and opens no file.",
        full: Expect::Success,
        arms: &[],
        run: |_| match raw::local_hour_of_the_epoch() {
            0 => Outcome::Succeeded,
            _ => Outcome::Refused(0),
        },
    },
    Attack {
        name: "hash_map",
        what: "Hash maps have their seeds.",
        full: Expect::Success,
        arms: &[],
        run: |_| {
            let map: HashMap<u64, u64> = (0..100).map(|number| (number, number)).collect();
            if map.get(&7) == Some(&7) { Outcome::Succeeded } else { Outcome::Refused(0) }
        },
    },
    Attack {
        name: "allocate",
        what: "Small and large blocks can be had, grown and given back.",
        full: Expect::Success,
        arms: &[],
        run: |_| {
            for size in [16, 4096, 1 << 20, 16 << 20] {
                let mut block = vec![1_u8; size];
                block.extend_from_slice(&vec![2_u8; size]);
                block.shrink_to(size);
                black_box(&block);
            }
            Outcome::Succeeded
        },
    },
    Attack {
        name: "null_pointer",
        what: "A memory fault ends in SIGSEGV.",
        full: Expect::Signal(libc::SIGSEGV),
        arms: &[],
        run: |_| {
            raw::write_to_nowhere();
            Outcome::Succeeded
        },
    },
    Attack {
        name: "native_stack_overflow",
        what: "Endless native recursion ends in SIGSEGV.",
        full: Expect::Signal(libc::SIGSEGV),
        arms: &[],
        run: |_| if recurse(black_box(1)) == 0 { Outcome::Refused(0) } else { Outcome::Succeeded },
    },
    Attack {
        name: "abort",
        what: "abort() ends in SIGABRT.",
        full: Expect::Signal(libc::SIGABRT),
        arms: &[],
        run: |_| std::process::abort(),
    },
    Attack {
        name: "panic",
        what: "A panic in trusted code ends in SIGABRT.",
        full: Expect::Signal(libc::SIGABRT),
        arms: &[],
        run: |_| panic!("as asked"),
    },
    Attack {
        name: "double_free",
        what: "Heap corruption that the C library notices ends in SIGABRT.",
        full: Expect::Signal(libc::SIGABRT),
        arms: &[],
        run: |_| {
            raw::free_twice();
            Outcome::Succeeded
        },
    },
    Attack {
        name: "out_of_memory",
        what: "An allocation in trusted code beyond the address space ends in SIGABRT.",
        full: Expect::Signal(libc::SIGABRT),
        arms: &[],
        run: |_| {
            let mut blocks = Vec::new();
            loop {
                blocks.push(black_box(vec![1_u8; 1 << 20]));
            }
        },
    },
    Attack {
        name: "out_of_small_memory",
        what: "The same in small blocks.",
        full: Expect::Signal(libc::SIGABRT),
        arms: &[],
        run: |_| {
            let mut blocks = Vec::new();
            loop {
                blocks.push(black_box(vec![1_u8; 1000]));
            }
        },
    },
];

#[allow(unconditional_recursion)]
fn recurse(depth: u64) -> u64 {
    let frame = black_box([depth; 512]);
    recurse(depth + 1).wrapping_add(frame[3])
}
