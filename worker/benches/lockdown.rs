//! What the lockdown costs of a worker's start: `cargo bench -p wit-worker --bench lockdown`.
//!
//! A lockdown cannot be undone, so every sample is a process of its own: this program starts itself, and each copy
//! measures its own `lockdown()` and prints the nanoseconds.

use std::io::{Read, Write};
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use wit_worker::sandbox;

/// Processes measured.
const SAMPLES: usize = 500;
/// What the lockdown may cost at the median (issue 3).
const TARGET: Duration = Duration::from_micros(300);
/// Selects the copy's part.
const COPY: &str = "measure-one";

fn main() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some(COPY) {
        measure_one();
    }
    match measure_all() {
        Ok(mut samples) => {
            samples.sort_unstable();
            let at = |percent: usize| samples[(samples.len() - 1) * percent / 100];
            let mut out = std::io::stdout().lock();
            let verdict = if at(50) < TARGET { "holds" } else { "MISSED" };
            let _ = writeln!(
                out,
                "lockdown: p50 {:?}, p90 {:?}, p99 {:?} over {SAMPLES} processes; under {TARGET:?} at the median: {verdict}",
                at(50),
                at(90),
                at(99)
            );
            ExitCode::SUCCESS
        }
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "lockdown: {error}");
            ExitCode::FAILURE
        }
    }
}

fn measure_one() -> ! {
    let start = Instant::now();
    let outcome = sandbox::lockdown();
    let taken = start.elapsed();
    if let Err(error) = outcome {
        let _ = writeln!(std::io::stderr(), "{error}");
        sandbox::exit::leave(sandbox::exit::SANDBOX_UNAVAILABLE);
    }
    let _ = std::io::stdout().write_all(format!("{}\n", taken.as_nanos()).as_bytes());
    sandbox::exit::leave(0)
}

fn measure_all() -> Result<Vec<Duration>, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    (0..SAMPLES)
        .map(|_| {
            let mut copy = Command::new(&program)
                .arg(COPY)
                .env_clear()
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .map_err(|error| error.to_string())?;
            let mut text = String::new();
            if let Some(mut stdout) = copy.stdout.take() {
                stdout.read_to_string(&mut text).map_err(|error| error.to_string())?;
            }
            let status = copy.wait().map_err(|error| error.to_string())?;
            let nanoseconds = text.trim().parse().map_err(|_| format!("a copy ended with {status}"))?;
            Ok(Duration::from_nanos(nanoseconds))
        })
        .collect()
}
