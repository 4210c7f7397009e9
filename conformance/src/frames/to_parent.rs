//! Sets the stage for a hostile worker, and reads what it reports afterwards.
//!
//! `--worker` takes a path and nothing else, so each case has a directory with the program and its script side by
//! side. What the process was born with (I2), what it was sent before it was verified (I3), and whether everything of
//! it is gone (I10) is judged here; what the client saw is judged by the runner of all cases.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::generate::Generated;
use super::report::{self, Event, Report, Start};
use super::script::{Lockdown, Script, Step};
use super::{SCRIPT_FILE, template};

/// The worker that goes on with the script that the source names.
pub const MENU: &str = "ready\nwait execute\nchoose\n";
/// The part of [`MENU`] that a generated script begins with, too.
const PLAYED: &str = "ready\nwait execute\n";
/// The name of the program in its directory.
const PROGRAM: &str = "hostile_worker";

/// A directory with the hostile worker, its script, and later its reports.
#[derive(Debug)]
pub struct Stage {
    directory: tempfile::TempDir,
}

impl Stage {
    /// Puts the program and its scripts, by file name, into a fresh directory. One is [`SCRIPT_FILE`].
    ///
    /// # Errors
    /// When the directory cannot be filled.
    pub fn set<'a>(program: &Path, scripts: impl IntoIterator<Item = (&'a str, &'a str)>) -> io::Result<Self> {
        let directory = tempfile::Builder::new().prefix("wit-hostile-").tempdir()?;
        // The worker becomes nobody, and still reads its script.
        fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o755))?;
        let place = directory.path().join(PROGRAM);
        // A link is quicker; it needs the same file system.
        if fs::hard_link(program, &place).is_err() {
            fs::copy(program, &place)?;
        }
        for (name, text) in scripts {
            fs::write(directory.path().join(name), text)?;
        }
        Ok(Self { directory })
    }

    /// The same for one script.
    ///
    /// # Errors
    /// As [`Self::set`].
    pub fn with_script(program: &Path, text: &str) -> io::Result<Self> {
        Self::set(program, [(SCRIPT_FILE, text)])
    }

    /// The same for [`MENU`] and these cases, each by its [`file_name`].
    ///
    /// # Errors
    /// As [`Self::set`].
    pub fn with_menu(program: &Path, cases: &[Generated]) -> io::Result<Self> {
        let files: Vec<_> = cases.iter().map(|case| (file_name(&case.id), continued(&case.text))).collect();
        let named = files.iter().map(|(name, text)| (name.as_str(), *text));
        Self::set(program, std::iter::once((SCRIPT_FILE, MENU)).chain(named))
    }

    /// What to give to `--worker`.
    #[must_use]
    pub fn program(&self) -> PathBuf {
        self.directory.path().join(PROGRAM)
    }

    /// Everything that is wrong with how the workers were treated, one line a fault. To be asked when the server has
    /// ended.
    ///
    /// # Errors
    /// When the reports cannot be read.
    pub fn faults(&self, script: &Script) -> io::Result<Vec<String>> {
        let reports = report::read_all(self.directory.path())?;
        let mut faults = Vec::new();
        if reports.is_empty() {
            faults.push("the server never started the worker it was given".to_owned());
        }
        for report in &reports {
            faults.extend(report_faults(report, script));
        }
        faults.extend(self.survivors(script));
        Ok(faults)
    }

    /// Processes that still run the program of this stage.
    fn survivors(&self, script: &Script) -> Vec<String> {
        if script.steps.iter().any(|line| matches!(line.step, Step::ForkHold { detached: true })) {
            // It left the process group: no parent can follow it there. It ends by itself.
            return Vec::new();
        }
        let program = self.program();
        let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
        let alive = processes.filter(|entry| fs::read_link(entry.path().join("exe")).is_ok_and(|exe| exe == program));
        alive.map(|entry| format!("process {} is left", entry.file_name().to_string_lossy())).collect()
    }
}

/// The name under which a source chooses a case. Ids have slashes, file names have none.
#[must_use]
pub fn file_name(id: &str) -> String {
    id.replace('/', ".")
}

/// The part of a script after the steps that the menu has already played.
fn continued(text: &str) -> &str {
    text.strip_prefix(PLAYED).unwrap_or(text)
}

fn report_faults(report: &Report, script: &Script) -> Vec<String> {
    let mut faults = Vec::new();
    let mut received = 0;
    for event in report {
        match event {
            Event::Start(start) => faults.extend(birth_faults(start)),
            Event::Trouble(trouble) => faults.push(format!("the hostile worker reports: {trouble}")),
            Event::Received(text) => {
                received += 1;
                if text.contains(template::CANARY) {
                    faults.push("a canary was sent to the worker".to_owned());
                }
            }
            Event::LockedDown | Event::Done => {}
        }
    }
    if received > 0 && lies(script) {
        faults.push("a worker that was not locked down was sent a frame".to_owned());
    }
    faults
}

/// I2: an empty environment, an empty directory, descriptors 0, 1 and 2.
fn birth_faults(start: &Start) -> Vec<String> {
    let mut faults = Vec::new();
    if !start.environment.is_empty() {
        faults.push(format!("the worker was given an environment: {}", start.environment.join(", ")));
    }
    if !start.entries.is_empty() {
        faults.push(format!("the worker's directory holds {}", start.entries.join(", ")));
    }
    if start.arguments.get(1..) != Some(&[wit_worker::WORKER_ARGUMENT.to_owned()]) {
        faults.push(format!("the worker was given arguments: {:?}", start.arguments));
    }
    let numbers: Vec<u32> = start.descriptors.iter().map(|(number, _)| *number).collect();
    if numbers != [0, 1, 2] {
        faults.push(format!("the worker was given descriptors: {:?}", start.descriptors));
    }
    let directory = start.directory.trim_end_matches(" (deleted)");
    if Path::new(directory).exists() {
        faults.push(format!("the worker's directory {directory} is left"));
    }
    faults
}

/// Whether the script claims a lockdown that it does not have.
fn lies(script: &Script) -> bool {
    script.steps.first().is_some_and(|line| matches!(line.step, Step::Lockdown(how) if how != Lockdown::Full))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frames::{Direction, parse};

    fn script(text: &str) -> Script {
        parse(text, Direction::ToParent).unwrap_or_else(|e| panic!("{e}"))
    }

    fn born() -> Start {
        Start {
            pid: 1,
            arguments: vec!["wit".to_owned(), wit_worker::WORKER_ARGUMENT.to_owned()],
            directory: "/nowhere/at/all (deleted)".to_owned(),
            descriptors: (0..3).map(|n| (n, String::new())).collect(),
            ..Start::default()
        }
    }

    #[test]
    fn whatever_a_worker_inherits_is_a_fault() {
        assert_eq!(birth_faults(&born()), Vec::<String>::new());
        let wrong = [
            Start { environment: vec!["PATH=/bin".to_owned()], ..born() },
            Start { entries: vec!["file".to_owned()], ..born() },
            Start { arguments: vec!["wit".to_owned()], ..born() },
            Start { descriptors: (0..4).map(|n| (n, String::new())).collect(), ..born() },
            Start { directory: "/".to_owned(), ..born() },
        ];
        for start in wrong {
            assert_eq!(birth_faults(&start).len(), 1, "{start:?}");
        }
    }

    #[test]
    fn a_liar_that_was_sent_something_is_a_fault() {
        let report = vec![Event::Start(born()), Event::Received("{}".to_owned())];
        assert!(report_faults(&report, &script("ready")).is_empty());
        assert_eq!(report_faults(&report, &script("lockdown none\nready")).len(), 1);
        let leak = vec![Event::Received(template::CANARY.to_owned()), Event::Trouble("x".to_owned())];
        assert_eq!(report_faults(&leak, &script("ready")).len(), 2);
    }
}
