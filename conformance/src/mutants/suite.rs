//! A part of the gate: one test program, and which of its tests.

use std::fmt;
use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::str::FromStr;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};

/// The test programs of this crate that hold the binary to something.
pub(super) const PROGRAMS: &[&str] = &["gate", "frames", "sandbox", "lifecycle", "redaction", "fuzz_seeds"];
/// The longest a part may take; the whole gate takes a minute.
const LONGEST: Duration = Duration::from_secs(420);

/// Which tests of which program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suite {
    /// The test program.
    pub program: &'static str,
    /// Only tests whose names contain this; all of them if empty.
    pub filter: String,
}

impl FromStr for Suite {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (program, filter) = text.split_once(' ').unwrap_or((text, ""));
        let known = PROGRAMS.iter().find(|known| **known == program);
        let program = known.ok_or_else(|| format!("{program} is not one of {}", PROGRAMS.join(", ")))?;
        Ok(Self { program, filter: filter.trim().to_owned() })
    }
}

impl fmt::Display for Suite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.filter {
            "" => write!(f, "{}", self.program),
            filter => write!(f, "{} {filter}", self.program),
        }
    }
}

/// How a part of the gate ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ended {
    /// Everything passed, and this was run.
    Passed(Vec<String>),
    /// No test has such a name.
    Empty,
    /// This test failed first.
    Failed(String),
    /// It ended badly without naming a test.
    Broken(String),
}

impl Suite {
    /// Whether it is a part of what this program has run.
    pub(super) fn is_part_of(&self, program: &str, names: &[String]) -> bool {
        self.program == program && names.iter().any(|name| name.contains(&self.filter))
    }

    /// Runs it to its first failure.
    ///
    /// # Errors
    /// When the program cannot be started.
    pub(super) fn run(&self, executable: &Path, directory: &Path, wit: &Path) -> Result<Ended> {
        let place = tempfile::Builder::new().prefix("wit-mutant-").tempdir()?;
        // The probes run as nobody and must find their way in.
        std::fs::set_permissions(place.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
        let mut child = Command::new(executable)
            .args((!self.filter.is_empty()).then_some(&self.filter))
            .current_dir(directory)
            .env(crate::binary::VARIABLE, wit)
            .env("CARGO_MANIFEST_DIR", directory)
            .env("INSTA_UPDATE", "no")
            .env("TMPDIR", place.path())
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .with_context(|| format!("cannot start {}", executable.display()))?;
        let (said, lines) = mpsc::channel();
        if let Some(stdout) = child.stdout.take() {
            std::thread::spawn(move || {
                BufReader::new(stdout).lines().map_while(Result::ok).try_for_each(|l| said.send(l))
            });
        }
        let end = Instant::now() + LONGEST;
        let (mut passed, mut failed) = (Vec::new(), None);
        while failed.is_none() {
            match lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(line) => match judge(&line) {
                    Some((name, true)) => passed.push(name.to_owned()),
                    Some((name, false)) => failed = Some(Ended::Failed(name.to_owned())),
                    None => {}
                },
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    failed = Some(Ended::Broken(format!("it did not end in {} s", LONGEST.as_secs())));
                }
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
            }
        }
        if let (Some(_), Some(group)) = (&failed, rustix::process::Pid::from_raw(child.id().cast_signed())) {
            // The servers under test are of its group; the rest of the tests need not be waited for.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
        let status = child.wait()?;
        Ok(match failed {
            Some(failed) => failed,
            None if !status.success() => Ended::Broken(format!("it ended with {status}")),
            None if passed.is_empty() => Ended::Empty,
            None => Ended::Passed(passed),
        })
    }
}

/// A line of a test program's output that tells how a test ended, with its name.
fn judge(line: &str) -> Option<(&str, bool)> {
    let (name, end) = line.strip_prefix("test ")?.rsplit_once(" ... ")?;
    match end.trim() {
        "ok" => Some((name.trim(), true)),
        "FAILED" => Some((name.trim(), false)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suites_are_read_and_shown() {
        for text in ["gate", "gate final-", "sandbox layer/root", "frames gen/ready"] {
            assert_eq!(text.parse::<Suite>().map(|suite| suite.to_string()), Ok(text.to_owned()));
        }
        assert!("gates".parse::<Suite>().is_err());
        let names = ["final-null".to_owned()];
        let part = |text: &str| text.parse::<Suite>().is_ok_and(|suite| suite.is_part_of("gate", &names));
        assert!(part("gate") && part("gate final-") && !part("gate lives") && !part("frames final-"));
    }

    #[test]
    fn lines_are_told_apart() {
        assert_eq!(judge("test final-null      ... ok"), Some(("final-null", true)));
        assert_eq!(
            judge("test disguise/lockdown with thread ... FAILED"),
            Some(("disguise/lockdown with thread", false))
        );
        assert_eq!(judge("test result: FAILED. 1 passed; 1 failed"), None);
        assert_eq!(judge("    test final ... not a test"), None);
    }

    #[test]
    fn a_program_is_judged_by_its_first_failure() -> Result<()> {
        let directory = tempfile::tempdir()?;
        let program = directory.path().join("program");
        let run = |script: &str| -> Result<Ended> {
            std::fs::write(&program, format!("#!/bin/sh\n{script}\n"))?;
            std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
            "gate".parse::<Suite>().map_err(anyhow::Error::msg)?.run(&program, directory.path(), Path::new("/bin/true"))
        };
        assert_eq!(run("echo 'test a ... ok'")?, Ended::Passed(vec!["a".to_owned()]));
        assert_eq!(run("echo nothing")?, Ended::Empty);
        assert_eq!(run("echo 'test a ... ok'; echo 'test b ... FAILED'; exec sleep 600")?, Ended::Failed("b".into()));
        assert!(matches!(run("echo 'test a ... ok'; exit 3")?, Ended::Broken(_)));
        Ok(())
    }
}
