//! Kills servers and damages what they have finished.
//!
//! A finished snapshot is never changed in place, by nobody: that would break the mappings of living servers, which no
//! cache promises to survive. It is swapped for a damaged copy, as a torn disk or a bad restore would leave it.

use std::fs;
use std::path::Path;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::{Ground, Tally};
use crate::catalogue::sha256;
use crate::random::Random;

/// How long to wait for a server that is busy opening, before any other will do.
const AIM: Duration = Duration::from_millis(500);

pub(super) fn rage(ground: &Ground<'_>) {
    let mut dice = Random::new(ground.options.seed ^ 0xdead);
    let mut next = Instant::now() + ground.options.kill_every;
    while !ground.is_over() {
        if Instant::now() < next {
            std::thread::sleep(Duration::from_millis(5));
            continue;
        }
        kill(ground, &mut dice);
        if dice.once_in(2) {
            damage(ground, &mut dice);
        }
        next = Instant::now() + ground.options.kill_every;
    }
}

fn kill(ground: &Ground<'_>, dice: &mut Random) {
    let begun = Instant::now();
    loop {
        let index = dice.index(ground.slots.len());
        let Some(slot) = ground.slots.get(index) else { return };
        let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
        let aimed = slot.opening && writes(ground.cache);
        // The player reaps it, and only when it has taken it out of the slot: the id is still the same process.
        let pid = slot.process.filter(|_| !slot.killed).and_then(|process| Pid::from_raw(process.pid));
        let Some(pid) = pid.filter(|_| aimed || begun.elapsed() >= AIM) else {
            drop(slot);
            if ground.is_over() {
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
            continue;
        };
        slot.killed = true;
        if kill_process(pid, Signal::KILL).is_ok() {
            Tally::add(&ground.tally.kills);
            if aimed {
                Tally::add(&ground.tally.kills_while_writing);
            }
        }
        return;
    }
}

/// Whether some server has something half-written.
fn writes(cache: &Path) -> bool {
    let Ok(servers) = fs::read_dir(cache.join("v1/scratch")) else { return false };
    servers.flatten().any(|server| fs::read_dir(server.path()).is_ok_and(|mut entries| entries.next().is_some()))
}

fn damage(ground: &Ground<'_>, dice: &mut Random) {
    let snapshots = ground.cache.join("v1/snapshots");
    let Ok(entries) = fs::read_dir(&snapshots) else { return };
    let paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    let Some(path) = dice.pick(&paths) else { return };
    // Evicted meanwhile: another time.
    let Ok(mut bytes) = fs::read(path) else { return };
    let at = dice.index(bytes.len());
    // An empty file is damage already, and none of ours.
    let Some(byte) = bytes.get_mut(at) else { return };
    *byte ^= 0x20;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let digest = sha256(&bytes);
    let copy = ground.cache.join("damaged-copy");
    if fs::write(&copy, bytes).is_err() {
        return;
    }
    // Before it can be seen: what is found damaged in the end must be one of these, byte for byte.
    ground.planted.lock().unwrap_or_else(PoisonError::into_inner).insert((name, digest));
    if fs::rename(&copy, path).is_ok() {
        ground.tally.damaged.fetch_add(1, Ordering::Relaxed);
    }
}
