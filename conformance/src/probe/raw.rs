//! System calls below the C library's and Rust's manners, and deliberate crashes.
//!
//! None of these functions is marked unsafe although a wrong argument can break the calling process: breaking a process
//! that was made for it is what probes are for. Nothing outside the probe program can call them.
#![allow(unsafe_code)]

use std::hint::black_box;

use super::Outcome;

/// Makes a system call by number. `Err` is the error number.
pub(super) fn syscall(number: i64, arguments: [u64; 6]) -> Result<u64, i32> {
    let [a, b, c, d, e, f] = arguments;
    // SAFETY: sound only in a throw-away process, see the module's documentation.
    let value = unsafe { libc::syscall(number, a, b, c, d, e, f) };
    if value == -1 {
        Err(std::io::Error::last_os_error().raw_os_error().unwrap_or(0))
    } else {
        Ok(value.cast_unsigned())
    }
}

/// Makes a system call and says how it went.
pub(super) fn attempt(number: i64, arguments: [u64; 6]) -> Outcome {
    match syscall(number, arguments) {
        Ok(_) => Outcome::Succeeded,
        Err(number) => Outcome::Refused(number),
    }
}

/// `getpid` through the 32-bit entry.
#[cfg(target_arch = "x86_64")]
pub(super) fn getpid_by_int80() -> Outcome {
    let value: i32;
    // SAFETY: number 20 is getpid there; it takes no argument and writes no memory. The 32-bit entry may clear r8-r11.
    unsafe {
        std::arch::asm!("int 0x80", inlateout("eax") 20 => value, out("r8") _, out("r9") _, out("r10") _, out("r11") _);
    }
    if value > 0 { Outcome::Succeeded } else { Outcome::Refused(-value) }
}

/// Forks. `Ok(0)` in the child.
pub(super) fn fork() -> Result<u32, i32> {
    // SAFETY: the probe program has one thread, so the child may do anything the parent may.
    match unsafe { libc::fork() } {
        -1 => Err(std::io::Error::last_os_error().raw_os_error().unwrap_or(0)),
        child => Ok(child.cast_unsigned()),
    }
}

/// Calls a word of memory as a function after it was made executable in the given way.
pub(super) fn map(protection: i32, flags: i32, descriptor: i32) -> Result<u64, i32> {
    let arguments = [0, 4096, protection as u64, flags as u64, descriptor as u64, 0];
    syscall(libc::SYS_mmap, arguments)
}

/// Writes where nothing is mapped.
pub(super) fn write_to_nowhere() {
    // SAFETY: not sound, on purpose: the fault must end the process with SIGSEGV.
    unsafe { black_box(8 as *mut u8).write_volatile(1) };
}

/// Frees a block twice; the C library notices and aborts.
pub(super) fn free_twice() {
    // SAFETY: not sound, on purpose: the C library must end the process with SIGABRT.
    unsafe {
        let block = black_box(libc::malloc(64));
        libc::free(block);
        libc::free(black_box(block));
    }
}

/// The local time of the epoch, hours.
pub(super) fn local_hour_of_the_epoch() -> i32 {
    let epoch: libc::time_t = 0;
    // SAFETY: an all-zero tm is valid, and both pointers are valid for the call.
    unsafe {
        let mut fields: libc::tm = std::mem::zeroed();
        libc::localtime_r(&raw const epoch, &raw mut fields);
        fields.tm_hour
    }
}
