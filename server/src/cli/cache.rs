//! `wit cache`: what lies in the cache directory, and how to be rid of it.
//!
//! The operator's own command, on the operator's own machine: nothing of it is reachable through MCP. It may run beside
//! any number of servers; see [`crate::snapshot`] for why that disturbs none of them.

use std::fmt::Write as _;
use std::path::Path;
use std::time::SystemTime;

use serde::Serialize;

use super::args::{Cache, CacheAction, CachePrune};
use super::exit::Exit;
use super::{output, setup, units};
use crate::operations::timestamp;
use crate::snapshot::{CacheRow, CacheState, Inventory, Prune};

/// Digits of a commit that the table shows; JSON has all of them.
const SHOWN_DIGITS: usize = 12;

pub(super) fn run(arguments: &Cache) -> Result<(), Exit> {
    let directory = setup::cache_dir(arguments.cache_dir.as_deref())?;
    match &arguments.action {
        Some(CacheAction::Prune(_)) if arguments.show.verify => {
            Err(Exit::Usage("--verify belongs to 'wit cache show'; try '--help'".to_owned()))
        }
        Some(CacheAction::Prune(prune)) => remove(&directory, prune, arguments.json),
        Some(CacheAction::Show(show)) => self::show(&directory, show.verify || arguments.show.verify, arguments.json),
        None => show(&directory, arguments.show.verify, arguments.json),
    }
}

/// The cache as JSON.
#[derive(Serialize)]
struct Listing {
    bytes: u64,
    snapshots: Vec<Item>,
}

/// What a pruning did, or would do, as JSON.
#[derive(Serialize)]
struct Removal {
    dry_run: bool,
    removed_bytes: u64,
    removed: Vec<Item>,
    kept_bytes: u64,
}

#[derive(Serialize)]
struct Item {
    snapshot_id: String,
    repo: Option<String>,
    commit_sha: Option<String>,
    bytes: u64,
    files: Option<u64>,
    last_used: Option<String>,
    state: &'static str,
}

impl Item {
    fn of(row: &CacheRow) -> Self {
        let facts = row.facts.as_ref();
        let since = row.last_used.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Self {
            snapshot_id: row.handle.clone(),
            repo: facts.map(|facts| facts.repo.clone()),
            commit_sha: facts.map(|facts| facts.commit.clone()),
            bytes: row.bytes,
            files: facts.map(|facts| facts.files),
            last_used: u64::try_from(since.as_millis()).ok().and_then(timestamp),
            state: match row.state {
                CacheState::Unverified => "unverified",
                CacheState::Ok => "ok",
                CacheState::Damaged => "damaged",
            },
        }
    }
}

fn show(directory: &Path, verify: bool, json: bool) -> Result<(), Exit> {
    let inventory = Inventory::take(directory, verify).map_err(|error| unusable(&error))?;
    let snapshots: Vec<Item> = inventory.rows.iter().map(Item::of).collect();
    if json {
        output::json(&Listing { bytes: inventory.bytes(), snapshots })?;
    } else {
        let mut text = table(&snapshots);
        let _ = writeln!(text, "{}, {}", counted(snapshots.len()), units::shown(inventory.bytes()));
        output::stdout(text.as_bytes())?;
    }
    let damaged = inventory.rows.iter().any(|row| row.state == CacheState::Damaged);
    if verify && damaged { Err(Exit::Unhealthy) } else { Ok(()) }
}

fn remove(directory: &Path, arguments: &CachePrune, json: bool) -> Result<(), Exit> {
    let prune = match (arguments.max_bytes, arguments.older_than) {
        (Some(bytes), _) => Prune::Beyond(bytes),
        (None, Some(age)) => Prune::OlderThan(age),
        (None, None) => Prune::All,
    };
    let inventory = Inventory::take(directory, false).map_err(|error| unusable(&error))?;
    let removed = if arguments.dry_run {
        inventory.chosen(prune)
    } else {
        inventory.prune(prune).map_err(|error| unusable(&error))?
    };
    let removed_bytes: u64 = removed.iter().map(|row| row.bytes).sum();
    let kept_bytes = inventory.bytes().saturating_sub(removed_bytes);
    let removed: Vec<Item> = removed.into_iter().map(Item::of).collect();
    if json {
        return output::json(&Removal { dry_run: arguments.dry_run, removed_bytes, removed, kept_bytes });
    }
    let mut text = table(&removed);
    let verb = if arguments.dry_run { "would remove" } else { "removed" };
    let (bytes, kept) = (units::shown(removed_bytes), units::shown(kept_bytes));
    let _ = writeln!(text, "{verb} {}, {bytes}; {kept} left", counted(removed.len()));
    output::stdout(text.as_bytes())
}

fn unusable(error: &std::io::Error) -> Exit {
    Exit::Environment(format!("the cache directory cannot be used: {}", error.kind()))
}

fn counted(count: usize) -> String {
    format!("{count} snapshot{}", if count == 1 { "" } else { "s" })
}

/// Columns aligned, one line a snapshot; nothing at all for none.
fn table(items: &[Item]) -> String {
    if items.is_empty() {
        return String::new();
    }
    let header = ["REPO", "COMMIT", "SIZE", "FILES", "LAST USED", "STATE"].map(str::to_owned);
    let lines: Vec<[String; 6]> = std::iter::once(header)
        .chain(items.iter().map(|item| {
            let unknown = || "?".to_owned();
            [
                item.repo.clone().unwrap_or_else(unknown),
                item.commit_sha.as_deref().map_or_else(unknown, |commit| commit.chars().take(SHOWN_DIGITS).collect()),
                units::shown(item.bytes),
                item.files.map_or_else(unknown, |files| files.to_string()),
                item.last_used.clone().unwrap_or_else(unknown),
                item.state.to_owned(),
            ]
        }))
        .collect();
    let widths: [usize; 6] =
        std::array::from_fn(|column| lines.iter().map(|line| line[column].len()).max().unwrap_or(0));
    lines.iter().fold(String::new(), |mut text, line| {
        let padded: Vec<String> = line
            .iter()
            .zip(widths)
            .enumerate()
            // Numbers to the right, words to the left.
            .map(|(column, (cell, width))| match column {
                2 | 3 => format!("{cell:>width$}"),
                _ => format!("{cell:<width$}"),
            })
            .collect();
        let _ = writeln!(text, "{}", padded.join("  ").trim_end());
        text
    })
}
