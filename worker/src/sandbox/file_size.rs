//! For the parent: reaching a limit on file sizes is an error, not the end.
#![allow(unsafe_code)]

/// Makes a write beyond `RLIMIT_FSIZE` fail with `EFBIG` instead of ending the process by SIGXFSZ, so that a server under
/// such a limit answers with a code. A worker's limit is 0, and it can write to no file.
pub fn survive_file_size_limit() {
    // signal(SIGXFSZ, SIG_IGN).
    // SAFETY: ignoring a signal runs no handler; no other thread exists yet that could be changing its disposition.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
}
