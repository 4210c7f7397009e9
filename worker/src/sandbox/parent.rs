//! What the parent asks of its own process before anything else runs. Nothing here is a layer of the worker's.
#![allow(unsafe_code)]

/// Freed memory beyond this goes back to the system, and a block of this size is one of its own.
#[cfg(target_env = "gnu")]
const KEPT_BYTES: i32 = 128 * 1024;
/// Heaps of the C library; more threads than this that allocate at once are rare here.
#[cfg(target_env = "gnu")]
const ARENAS: i32 = 2;

/// Makes a write beyond `RLIMIT_FSIZE` fail with `EFBIG` instead of ending the process by SIGXFSZ, so that a server under
/// such a limit answers with a code.
pub fn survive_file_size_limit() {
    // signal(SIGXFSZ, SIG_IGN).
    // SAFETY: ignoring a signal runs no handler; no other thread exists yet that could be changing its disposition.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}

/// Gives every free page of the C library's heaps back to the system.
pub fn trim_memory() {
    #[cfg(target_env = "gnu")]
    // SAFETY: takes a number; the heaps' own locks make it safe beside other threads.
    unsafe {
        libc::malloc_trim(0)
    };
}

/// Holds the C library to small heaps. By itself it raises the size from which a block is returned on being freed with
/// every larger block it sees, and a server that once held a large result keeps its memory for good.
pub fn return_freed_memory() {
    #[cfg(target_env = "gnu")]
    for (parameter, value) in
        [(libc::M_ARENA_MAX, ARENAS), (libc::M_MMAP_THRESHOLD, KEPT_BYTES), (libc::M_TRIM_THRESHOLD, KEPT_BYTES)]
    {
        // SAFETY: takes two numbers; one it does not know changes nothing.
        unsafe { libc::mallopt(parameter, value) };
    }
}
