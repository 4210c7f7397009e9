//! The cache soak: real servers that share one cache directory, kill each other's plans, and must never give a wrong
//! byte.
//!
//! A handful of players each drive a `wit mcp` of their own: they open commits over smart HTTP and from disk, read, list
//! and search them, and hold every answer against what git says. The cache has room for a fraction of the commits, so
//! that each open evicts what others are reading. Meanwhile a vandal kills servers, preferably while they write, and
//! swaps finished snapshots for damaged copies. In the end no answer may have been wrong or missing, every server must
//! have ended by itself, and the cache may hold nothing but whole snapshots.

pub mod command;
mod player;
mod vandal;
mod world;

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::catalogue::sha256;
use crate::double::git_http::Stage;
use player::{Player, Slot};
use world::World;

/// How to soak.
#[derive(Debug, Clone)]
pub struct Options {
    /// The binary under test.
    pub binary: PathBuf,
    /// Servers that share the cache.
    pub servers: usize,
    /// How long at most.
    pub time: Duration,
    /// Rounds of each player at most: one open and what is done with it.
    pub rounds: u64,
    /// Time between two kills.
    pub kill_every: Duration,
    /// Snapshots that the cache has room for; there are eighteen commits, each under two names.
    pub room: u64,
    /// Chooses what the players do. Timing is the machine's own, so a seed repeats the choices and not the run.
    pub seed: u64,
}

/// What was done and found.
#[derive(Debug, Default)]
pub struct Report {
    servers: usize,
    seconds: f64,
    tally: Tally,
    fetches: usize,
    snapshots_left: usize,
    damaged_left: usize,
    bytes_left: u64,
    cap: u64,
    /// What must not be; empty if the cache held.
    pub faults: Vec<String>,
}

/// Counters that all threads share.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    opens: [AtomicU64; 3],
    reads: AtomicU64,
    lists: AtomicU64,
    searches: AtomicU64,
    bytes: AtomicU64,
    evicted: AtomicU64,
    kills: AtomicU64,
    kills_while_writing: AtomicU64,
    damaged: AtomicU64,
    retired: AtomicU64,
    slowest_ms: AtomicU64,
}

impl Tally {
    fn add(counter: &AtomicU64) {
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

/// What players and vandal share.
pub(crate) struct Ground<'a> {
    options: &'a Options,
    world: &'a World,
    cache: &'a Path,
    slots: Vec<Mutex<Slot>>,
    tally: Tally,
    end: Instant,
    over: AtomicBool,
    faults: Mutex<Vec<String>>,
    planted: Mutex<Planted>,
}

/// What the vandal has put in place: file names, with the SHA-256 of the damaged copy.
type Planted = BTreeSet<(String, String)>;

impl Ground<'_> {
    fn fault(&self, what: String) {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner).push(what);
    }

    fn is_over(&self) -> bool {
        self.over.load(Ordering::SeqCst) || Instant::now() >= self.end
    }
}

/// Soaks.
///
/// # Errors
/// When the ground cannot be laid: no git, no binary, no disk. What the servers do wrong is in the report.
pub fn run(options: &Options) -> Result<Report> {
    let directory = tempfile::Builder::new().prefix("wit-cache-soak-").tempdir()?;
    let world = World::make(directory.path())?;
    let cache = directory.path().join("cache");
    let cap = options.room * world.snapshot_bytes();
    let began = Instant::now();
    let ground = Ground {
        options,
        world: &world,
        cache: &cache,
        slots: (0..options.servers).map(|_| Mutex::default()).collect(),
        tally: Tally::default(),
        end: began + options.time,
        over: AtomicBool::new(false),
        faults: Mutex::default(),
        planted: Mutex::default(),
    };
    std::thread::scope(|scope| {
        let players: Vec<_> = (0..options.servers)
            .map(|index| {
                let ground = &ground;
                scope.spawn(move || {
                    if let Err(error) = Player::new(ground, index, cap).and_then(Player::play) {
                        ground.fault(format!("player {index}: {error:#}"));
                    }
                })
            })
            .collect();
        let vandal = scope.spawn(|| vandal::rage(&ground));
        for player in players {
            if player.join().is_err() {
                ground.fault("a player panicked".to_owned());
            }
        }
        ground.over.store(true, Ordering::SeqCst);
        if vandal.join().is_err() {
            ground.fault("the vandal panicked".to_owned());
        }
    });
    let mut report =
        Report { servers: options.servers, seconds: began.elapsed().as_secs_f64(), cap, ..Report::default() };
    report.fetches = world.server.count(Stage::Fetch);
    report.faults = ground.faults.into_inner().unwrap_or_else(PoisonError::into_inner);
    report.tally = ground.tally;
    let planted = ground.planted.into_inner().unwrap_or_else(PoisonError::into_inner);
    inspect(options, &cache, &world, &planted, &mut report)?;
    Ok(report)
}

/// What the cache holds once everyone has gone.
fn inspect(options: &Options, cache: &Path, world: &World, planted: &Planted, report: &mut Report) -> Result<()> {
    for name in ["scratch", "locks"] {
        for entry in fs::read_dir(cache.join("v1").join(name))? {
            report.faults.push(format!("left behind: {name}/{}", entry?.file_name().to_string_lossy()));
        }
    }
    let output = Command::new(&options.binary)
        .args(["cache", "show", "--verify", "--json", "--cache-dir"])
        .arg(cache)
        .env_clear()
        .stdin(Stdio::null())
        .output()
        .context("cannot run wit cache")?;
    let shown: Value = serde_json::from_slice(&output.stdout).context("wit cache did not print JSON")?;
    let rows = shown["snapshots"].as_array().context("wit cache listed nothing")?;
    report.snapshots_left = rows.len();
    report.bytes_left = shown["bytes"].as_u64().unwrap_or_default();
    // The vandal's last victims may not have been asked for again; any other damage would be a torn write.
    for row in rows.iter().filter(|row| row["state"] != "ok") {
        report.damaged_left += 1;
        let name = row["snapshot_id"].as_str().context("a snapshot without an id")?;
        let bytes = fs::read(cache.join("v1/snapshots").join(name)).with_context(|| name.to_owned())?;
        if !planted.contains(&(name.to_owned(), sha256(&bytes))) {
            report.faults.push(format!("damage that nobody planted: {row}"));
        }
    }
    // A server may have added its own while another counted, but never more than one each.
    let most = report.cap + options.servers as u64 * world.snapshot_bytes();
    if report.bytes_left > most {
        report.faults.push(format!("the cache has {} bytes; its cap is {}", report.bytes_left, report.cap));
    }
    let done = report.tally.reads.load(Ordering::Relaxed);
    let idle = done == 0 || report.tally.kills.load(Ordering::Relaxed) == 0;
    // Players that stopped at a fault leave the vandal no time; the fault is what counts then.
    if idle && report.faults.is_empty() {
        bail!("nothing was soaked: {done} reads");
    }
    Ok(())
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tally = &self.tally;
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let [fresh, cached, stale] = &tally.opens;
        writeln!(f, "{} servers, {:.0} s", self.servers, self.seconds)?;
        writeln!(
            f,
            "opens         {} fresh, {} cached, {} stale; {} fetches over HTTP",
            get(fresh),
            get(cached),
            get(stale),
            self.fetches
        )?;
        writeln!(
            f,
            "compared      {} files read, {} trees listed, {} searches, {} bytes; slowest answer {} ms",
            get(&tally.reads),
            get(&tally.lists),
            get(&tally.searches),
            get(&tally.bytes),
            get(&tally.slowest_ms)
        )?;
        writeln!(
            f,
            "disturbed     {} kills, {} of them while the server wrote; {} snapshots damaged, {} found evicted; {} \
             servers retired",
            get(&tally.kills),
            get(&tally.kills_while_writing),
            get(&tally.damaged),
            get(&tally.evicted),
            get(&tally.retired)
        )?;
        writeln!(
            f,
            "left          {} snapshots ({} of the damaged), {} of {} bytes; no scratch, no lock unless said below",
            self.snapshots_left, self.damaged_left, self.bytes_left, self.cap
        )?;
        for fault in &self.faults {
            writeln!(f, "FAULT         {fault}")?;
        }
        write!(f, "{}", if self.faults.is_empty() { "held" } else { "DID NOT HOLD" })
    }
}
