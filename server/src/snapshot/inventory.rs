//! What lies in a cache directory, for its operator: shown, verified and pruned without being a server of it.
//!
//! Looking changes nothing, not even the times of last use, and makes no directory. Pruning removes finished snapshots by
//! unlink, so a server that has one mapped goes on with it, and what killed servers left; it never touches what a living
//! server is writing, because that one holds the claim on it.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::file::{LoadError, Snapshot, Trust};
use super::store;

/// A cache directory as it was found.
#[derive(Debug)]
pub(crate) struct Inventory {
    root: PathBuf,
    /// The most recently used first.
    pub(crate) rows: Vec<Row>,
}

/// One file of the cache.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    /// The handle, which is the file's name.
    pub(crate) handle: String,
    /// What it says it is; none if it can't be read.
    pub(crate) facts: Option<Facts>,
    /// Bytes of the file.
    pub(crate) bytes: u64,
    pub(crate) last_used: SystemTime,
    pub(crate) state: State,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Facts {
    pub(crate) repo: String,
    pub(crate) commit: String,
    pub(crate) files: u64,
}

/// What is known about a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// Its metadata is whole; its contents were not looked at.
    Unverified,
    /// All of it has its checksum.
    Ok,
    /// It isn't the whole snapshot of its name. A server that needs it drops it and builds it again.
    Damaged,
}

/// What to remove.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Prune {
    /// The least recently used, until the rest fits in so many bytes.
    Beyond(u64),
    /// What was last used so long ago.
    OlderThan(Duration),
    /// Everything, and what is remembered about refs.
    All,
}

impl Inventory {
    /// Looks at the cache in a directory; there is none in one that doesn't exist. With `verify` every byte is hashed.
    ///
    /// # Errors
    /// When the directory can't be read.
    pub(crate) fn take(directory: &Path, verify: bool) -> io::Result<Self> {
        let root = directory.join("v1");
        let entries = match fs::read_dir(root.join("snapshots")) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self { root, rows: Vec::new() }),
            Err(error) => return Err(error),
        };
        let mut rows = Vec::new();
        for entry in entries {
            match row(&entry?.path(), verify) {
                Ok(row) => rows.push(row),
                // Evicted by a server meanwhile.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        rows.sort_by(|a, b| (b.last_used, &a.handle).cmp(&(a.last_used, &b.handle)));
        Ok(Self { root, rows })
    }

    /// Bytes of all snapshots.
    pub(crate) fn bytes(&self) -> u64 {
        self.rows.iter().map(|row| row.bytes).sum()
    }

    /// What such a pruning would remove; damaged files always.
    pub(crate) fn chosen(&self, prune: Prune) -> Vec<&Row> {
        let mut kept: u64 = 0;
        let mut full = false;
        let now = SystemTime::now();
        self.rows
            .iter()
            .filter(|row| {
                if row.state == State::Damaged {
                    return true;
                }
                match prune {
                    Prune::All => true,
                    // A time in the future is no age.
                    Prune::OlderThan(age) => now.duration_since(row.last_used).is_ok_and(|since| since > age),
                    Prune::Beyond(bytes) => {
                        // The first that doesn't fit ends it: what is older was used less recently still.
                        full = full || kept.saturating_add(row.bytes) > bytes;
                        kept += if full { 0 } else { row.bytes };
                        full
                    }
                }
            })
            .collect()
    }

    /// Removes what was chosen, and what killed servers left; gives the rows that are gone by now.
    ///
    /// # Errors
    /// When a file can't be removed.
    pub(crate) fn prune(&self, prune: Prune) -> io::Result<Vec<&Row>> {
        let chosen = self.chosen(prune);
        for row in &chosen {
            store::remove(&self.root.join("snapshots").join(&row.handle))?;
        }
        if prune == Prune::All
            && let Ok(records) = fs::read_dir(self.root.join("refs"))
        {
            for record in records {
                store::remove(&record?.path())?;
            }
        }
        store::sweep(&self.root);
        Ok(chosen)
    }
}

fn row(path: &Path, verify: bool) -> io::Result<Row> {
    let handle = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let file = File::open(path)?;
    let about = file.metadata()?;
    let mut row = Row { facts: None, bytes: about.len(), last_used: about.modified()?, state: State::Damaged, handle };
    match Snapshot::load(&file, if verify { Trust::Found } else { Trust::Listed }) {
        Ok(snapshot) if snapshot.id().as_str() == row.handle => {
            row.facts = Some(Facts {
                repo: snapshot.repo().to_string(),
                commit: snapshot.commit().to_string(),
                files: snapshot.total_files(),
            });
            row.state = if verify { State::Ok } else { State::Unverified };
        }
        Ok(_) | Err(LoadError::Damaged(_)) => {}
        // A file of no bytes can't be mapped.
        Err(LoadError::Io(_)) if row.bytes == 0 => {}
        Err(LoadError::Io(error)) => return Err(error),
    }
    Ok(row)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inventory(sizes: &[(u64, State)]) -> Inventory {
        let row = |(index, (bytes, state)): (usize, &(u64, State))| Row {
            handle: index.to_string(),
            facts: None,
            bytes: *bytes,
            last_used: SystemTime::now() - Duration::from_secs(60 * index as u64),
            state: *state,
        };
        Inventory { root: PathBuf::new(), rows: sizes.iter().enumerate().map(row).collect() }
    }

    #[test]
    fn the_least_recently_used_go_first() {
        let all = inventory(&[(10, State::Ok), (20, State::Ok), (30, State::Ok), (1, State::Ok)]);
        let handles = |prune| all.chosen(prune).iter().map(|row| row.handle.as_str()).collect::<Vec<_>>().concat();
        assert_eq!(handles(Prune::Beyond(61)), "");
        assert_eq!(handles(Prune::Beyond(60)), "3");
        assert_eq!(handles(Prune::Beyond(59)), "23", "nothing older stays for being small");
        assert_eq!(handles(Prune::Beyond(0)), "0123");
        assert_eq!(handles(Prune::OlderThan(Duration::from_secs(90))), "23");
        assert_eq!(handles(Prune::All), "0123");
    }

    #[test]
    fn damaged_ones_go_in_any_case() {
        let all = inventory(&[(10, State::Damaged), (20, State::Unverified)]);
        assert_eq!(all.chosen(Prune::Beyond(u64::MAX)).len(), 1);
    }

    #[test]
    fn looking_makes_nothing() {
        let directory = tempfile::tempdir().expect("a directory");
        let absent = directory.path().join("absent");
        assert_eq!(Inventory::take(&absent, true).expect("nothing").rows, []);
        assert!(!absent.exists());
    }
}
