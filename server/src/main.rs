//! The one binary. The hidden worker mode branches off before any runtime, thread or argument parser exists.

use std::process::ExitCode;

fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|mode| mode == wit_worker::WORKER_ARGUMENT) {
        #[cfg(target_os = "linux")]
        wit::codemode::become_worker();
        return wit_worker::run();
    }
    // Best effort: a genuine worker closes everything above 2 by itself (I2).
    #[cfg(target_os = "linux")]
    {
        drop(wit_worker::sandbox::seal_inherited());
        wit_worker::sandbox::parent::survive_file_size_limit();
        wit_worker::sandbox::parent::return_freed_memory();
    }
    wit::cli::main()
}
