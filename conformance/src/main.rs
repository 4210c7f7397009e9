//! The kit from a shell: list what there is, run it with transcripts, write a report, freeze a profile.

#[cfg(target_os = "linux")]
mod cli;

#[cfg(target_os = "linux")]
fn main() -> std::process::ExitCode {
    cli::arguments::main()
}

#[cfg(not(target_os = "linux"))]
fn main() -> std::process::ExitCode {
    eprintln!("conformance: the kit runs on Linux");
    std::process::ExitCode::from(3)
}
