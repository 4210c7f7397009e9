//! What the probe program can be told to do.
//!
//! `attack NAME key=value…` locks down and tries one thing. `hold` locks down and waits for the end of its input.
//! `threaded` tries to lock down with a second thread. `spin` burns CPU under a CPU limit of one second. `orphan` leaves a locked-down child behind. `peek PID` is the other
//! process of the same user that tries to look into a worker. Started as a worker, it lies.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::process::ExitCode;

use rustix::process::{Resource, Rlimit, setrlimit};
use wit_worker::WORKER_ARGUMENT;
use wit_worker::protocol::{FromWorker, Ready};
use wit_worker::sandbox::{self, LAYERS};

use super::{Context, Outcome, attacks, raw};

/// Runs the role that the arguments name.
///
/// # Errors
/// Arguments that mean nothing, or a step before the lockdown that failed.
pub fn run(mut arguments: impl Iterator<Item = String>) -> Result<ExitCode, String> {
    let role = arguments.next().unwrap_or_default();
    match role.as_str() {
        "attack" => {
            let name = arguments.next().unwrap_or_default();
            let attack = attacks::named(&name).ok_or_else(|| format!("no such attack: {name}"))?;
            let context = Context::parse(arguments)?;
            // Descriptor 3, as a careless parent might leave it; closed by the lockdown, never by us.
            let leaked = File::options().read(true).write(true).open(format!("{}/leaked", context.directory));
            let leaked = leaked.map_err(|error| format!("cannot open the file to leak: {error}"))?;
            std::mem::forget(leaked);
            lock(&context);
            say((attack.run)(&context))
        }
        "hold" => {
            lock(&Context::parse(arguments)?);
            print("locked\n");
            wait_for_input();
            sandbox::exit::leave(0)
        }
        "threaded" => {
            let (_keep, wait) = std::sync::mpsc::channel::<()>();
            std::thread::spawn(move || wait.recv());
            lock(&Context::parse(arguments)?);
            say(Outcome::Succeeded)
        }
        "spin" => {
            let second = Rlimit { current: Some(1), maximum: Some(3) };
            setrlimit(Resource::Cpu, second).map_err(|error| error.to_string())?;
            lock(&Context::parse(arguments)?);
            loop {
                std::hint::spin_loop();
            }
        }
        "orphan" => orphan(&Context::parse(arguments)?),
        "peek" => {
            let pid = arguments.next().unwrap_or_default();
            say(match fs::read_to_string(format!("/proc/{pid}/maps")) {
                Ok(maps) if !maps.is_empty() => Outcome::Succeeded,
                Ok(_) => Outcome::Refused(libc::ESRCH),
                Err(error) => Outcome::Refused(error.raw_os_error().unwrap_or(0)),
            })
        }
        WORKER_ARGUMENT => lie(),
        // What an attack that executes the program asks it.
        "succeed" => say(Outcome::Succeeded),
        "became-root" => {
            let is_root = rustix::process::geteuid().is_root();
            say(if is_root { Outcome::Succeeded } else { Outcome::Refused(libc::EPERM) })
        }
        "sweep" => super::sweep::numbers(),
        "arguments" => super::sweep::arguments(),
        "trace" => super::trace::run(arguments),
        "deny" => super::deny::run(arguments),
        _ => Err(format!("no such role: {role}")),
    }
}

/// Locks down, or leaves as a worker does that cannot.
fn lock(context: &Context) {
    if let Err(error) = sandbox::apply(context.layers()) {
        eprintln!("{error}");
        sandbox::exit::leave(sandbox::exit::SANDBOX_UNAVAILABLE);
    }
}

/// The child locks down and waits; the parent ends as soon as it has. If the child then still reads its input, it says
/// `alive`.
fn orphan(context: &Context) -> Result<ExitCode, String> {
    // The child's lockdown closes its end of this pipe, and the end of the pipe lets the parent go.
    let (mut from_child, to_parent) = std::io::pipe().map_err(|error| error.to_string())?;
    match raw::fork().map_err(|number| format!("fork: error {number}"))? {
        0 => {
            drop(from_child);
            lock(context);
            // Closed by the lockdown already; closing it again would be a forbidden call.
            std::mem::forget(to_parent);
            wait_for_input();
            print("alive\n");
            sandbox::exit::leave(0)
        }
        _ => {
            drop(to_parent);
            let mut rest = Vec::new();
            from_child.read_to_end(&mut rest).map_err(|error| error.to_string())?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

/// A worker that claims every layer and has none. It leaves a file beside itself when it starts, and another when it is
/// sent anything.
fn lie() -> Result<ExitCode, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let note = |name: &str| fs::write(program.with_file_name(name), "").map_err(|error| error.to_string());
    note("started")?;
    let layers = LAYERS.iter().map(|row| row.name.to_owned()).collect();
    let mut frame = Vec::new();
    FromWorker::Ready(Ready { layers }).encode(&mut frame).map_err(|error| error.to_string())?;
    std::io::stdout().write_all(&frame).and_then(|()| std::io::stdout().flush()).map_err(|error| error.to_string())?;
    let mut byte = [0_u8; 1];
    if std::io::stdin().read(&mut byte).is_ok_and(|count| count > 0) {
        note("heard")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn wait_for_input() {
    let mut byte = [0_u8; 1];
    let _ = raw::syscall(libc::SYS_read, [0, byte.as_mut_ptr() as u64, 1, 0, 0, 0]);
}

fn say(outcome: Outcome) -> ! {
    print(&format!("{outcome}\n"));
    sandbox::exit::leave(0)
}

/// Writes to stdout by one system call.
pub(super) fn print(text: &str) {
    let _ = raw::syscall(libc::SYS_write, [1, text.as_ptr() as u64, text.len() as u64, 0, 0, 0]);
}
