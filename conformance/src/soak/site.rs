//! The server of a soak: started in directories of its own, with nothing in its environment but what a client gives.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};

use super::mix::Times;
use super::wire::{Diagnostics, Wire};
use super::{END, START, upstream};
use crate::fixture;
use crate::process::{self, Process};

/// A running server.
pub(super) struct Site {
    child: Child,
    /// The server in `/proc`.
    pub(super) process: Process,
    /// The connection to it.
    pub(super) wire: Wire,
    reader: JoinHandle<()>,
    diagnostics: JoinHandle<Diagnostics>,
    /// Its temporary directory.
    pub(super) temporary: PathBuf,
    home: tempfile::TempDir,
}

/// What the operator of a soak's server sets.
#[derive(Debug, Clone, Copy)]
pub(super) struct Policy {
    pub(super) times: Times,
    /// Invocations allowed at once.
    pub(super) invocations: u64,
    /// Workers allowed at once.
    pub(super) workers: u64,
    /// Workers kept ready.
    pub(super) spares: u64,
}

/// What is left when the server has ended.
pub(super) struct Closed {
    /// None if it had to be killed.
    pub(super) status: Option<ExitStatus>,
    pub(super) took: Duration,
    /// Processes that outlived it.
    pub(super) leaked: Vec<String>,
    /// Entries left in its temporary directory.
    pub(super) temporary: usize,
    pub(super) diagnostics: Diagnostics,
}

impl Site {
    /// Starts it, with another worker program where one is given.
    pub(super) fn start(binary: &Path, policy: Policy, worker: Option<&Path>) -> Result<Self> {
        let home = tempfile::Builder::new().prefix("wit-soak-").tempdir()?;
        let path = |name: &str| home.path().join(name);
        let temporary = path("temporary");
        for directory in [&temporary, &path("cache"), &path("home")] {
            fs::create_dir_all(directory)?;
        }
        let repository = path("fixture");
        fixture::build(&repository).context("the fixture repository cannot be built")?;
        // Whatever the server leaves behind becomes a child of ours, and is seen, whoever started it. Not before: git
        // has helpers of its own.
        rustix::process::set_child_subreaper(Some(rustix::process::getpid()))?;
        let Policy { times, invocations, workers, spares } = policy;
        let text = format!(
            "wall_ms = {}\noperation_ms = {}\ninvocations = {invocations}\nworkers = {workers}\nspare_workers = {spares}\n",
            times.wall, times.operation
        );
        fs::write(path("policy.toml"), text)?;
        let upstream = upstream::start()?;
        let mut arguments: Vec<OsString> = ["mcp", "--mode", "code", "--policy"].map(OsString::from).into();
        arguments.push(path("policy.toml").into());
        arguments.extend(["--github-url".into(), format!("http://{upstream}").into()]);
        arguments.extend(["--local".into(), format!("{}={}", fixture::NAME, repository.display()).into()]);
        if let Some(worker) = worker {
            arguments.extend(["--worker".into(), worker.into()]);
        }
        let mut child = Command::new(binary)
            .args(&arguments)
            .env_clear()
            .env("WIT_CACHE_DIR", path("cache"))
            .env("TMPDIR", &temporary)
            .env("HOME", path("home"))
            .env("WIT_LOG", "error")
            .current_dir(home.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", binary.display()))?;
        let process = i32::try_from(child.id()).ok().and_then(Process::find).context("the server is not there")?;
        let (Some(stdin), Some(stdout), Some(stderr)) = (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            anyhow::bail!("the server has no pipes");
        };
        let (wire, reader) = Wire::new(stdin, stdout);
        let diagnostics = std::thread::spawn(move || Diagnostics::read(stderr));
        let site = Self { child, process, wire, reader, diagnostics, temporary, home };
        site.wire.initialize(START)?;
        Ok(site)
    }

    /// Closes its input, waits for its end, and counts what it left.
    pub(super) fn close(mut self) -> Result<Closed> {
        let began = Instant::now();
        self.wire.close();
        let status = process::wait_for(END, || self.child.try_wait().transpose()).transpose()?;
        let took = began.elapsed();
        if status.is_none() {
            self.child.kill()?;
            self.child.wait()?;
        }
        let leaked = process::children(i32::try_from(std::process::id())?).into_iter().map(Process::shown).collect();
        let temporary = fs::read_dir(&self.temporary)?.count();
        // Both end with the server's side of the pipes.
        drop(self.reader.join());
        let diagnostics = self.diagnostics.join().unwrap_or_default();
        self.home.close()?;
        Ok(Closed { status, took, leaked, temporary, diagnostics })
    }
}
