//! What a hostile worker saw: one JSON line an event, in a file beside its executable, opened before it locks
//! itself down. It is how a test knows what the parent gave the process (I2) and sent to it (I3).

use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;

use serde::{Deserialize, Serialize};

/// The beginning of the name of every report.
pub const PREFIX: &str = "report-";

/// One event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// What the process was born with.
    Start(Start),
    /// It locked itself down as far as its script says.
    LockedDown,
    /// A frame came; bytes that are not UTF-8 are replaced.
    Received(String),
    /// An expectation of the script was not met, or the script could not be played.
    Trouble(String),
    /// The script ended.
    Done,
}

/// What a process is born with.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Start {
    /// The process.
    pub pid: u32,
    /// Every argument.
    pub arguments: Vec<String>,
    /// Every environment variable, `NAME=value`.
    pub environment: Vec<String>,
    /// The working directory.
    pub directory: String,
    /// What lies in it.
    pub entries: Vec<String>,
    /// Every open file descriptor and what it leads to.
    pub descriptors: Vec<(u32, String)>,
}

impl Start {
    /// Observes this process.
    ///
    /// # Errors
    /// When `/proc` cannot be read.
    pub fn observe() -> io::Result<Self> {
        let lossy = |text: &std::ffi::OsStr| text.to_string_lossy().into_owned();
        // The parent may already have removed the directory from under the process: then it has a name with a
        // remark, and no entries.
        let directory = std::fs::read_link("/proc/self/cwd")?;
        let mut entries = Vec::new();
        if let Ok(listing) = std::fs::read_dir(".") {
            entries.extend(listing.filter_map(|entry| Some(lossy(&entry.ok()?.file_name()))));
        }
        let numbers: Vec<u32> = std::fs::read_dir("/proc/self/fd")?
            .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
            .collect();
        // The descriptor that listed the others is closed by now: what does not resolve is that one.
        let descriptors = numbers.into_iter().filter_map(|number| {
            let target = std::fs::read_link(format!("/proc/self/fd/{number}")).ok()?;
            Some((number, lossy(target.as_os_str())))
        });
        Ok(Self {
            pid: std::process::id(),
            arguments: std::env::args_os().map(|argument| lossy(&argument)).collect(),
            environment: std::env::vars_os()
                .map(|(name, value)| format!("{}={}", lossy(&name), lossy(&value)))
                .collect(),
            directory: lossy(directory.as_os_str()),
            entries,
            descriptors: descriptors.collect(),
        })
    }
}

/// Writes a report.
#[derive(Debug)]
pub struct Writer {
    file: File,
}

impl Writer {
    /// Creates this process's report in the directory.
    ///
    /// # Errors
    /// When the file cannot be created.
    pub fn create(directory: &Path) -> io::Result<Self> {
        let name = format!("{PREFIX}{}.jsonl", std::process::id());
        Ok(Self { file: File::create(directory.join(name))? })
    }

    /// Appends an event, whole or not at all, so that a kill at any moment leaves a readable report.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn event(&mut self, event: &Event) -> io::Result<()> {
        let mut line = serde_json::to_vec(event)?;
        line.push(b'\n');
        self.file.write_all(&line)
    }
}

/// One process's report.
pub type Report = Vec<Event>;

/// Reads every report in the directory.
///
/// # Errors
/// When one cannot be read, or has a line that is not an event.
pub fn read_all(directory: &Path) -> io::Result<Vec<Report>> {
    let mut reports = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_name().to_string_lossy().starts_with(PREFIX) {
            let text = std::fs::read_to_string(entry.path())?;
            // A line without its end belongs to a process that is writing it at this moment.
            let whole = text.rfind('\n').map_or("", |end| &text[..end]);
            let report: Result<Report, _> = whole.lines().map(serde_json::from_str).collect();
            reports.push(report?);
        }
    }
    Ok(reports)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() -> io::Result<()> {
        let directory = tempfile::tempdir()?;
        let events = vec![
            Event::Start(Start { pid: 7, ..Start::default() }),
            Event::Received("a\n\u{fffd}".to_owned()),
            Event::Trouble("x".to_owned()),
            Event::Done,
        ];
        let mut writer = Writer::create(directory.path())?;
        for event in &events {
            writer.event(event)?;
        }
        assert_eq!(read_all(directory.path())?, [events]);
        Ok(())
    }
}
