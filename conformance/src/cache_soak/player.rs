//! One player: drives a server of its own, and believes nothing that git does not say too.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::sync::PoisonError;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::{Value, json};

use super::world::{Commit, marker};
use super::{Ground, Tally};
use crate::client::{Ended, Server};
use crate::process::Process;
use crate::random::Random;

/// No answer may take longer: beyond this a server is taken for deadlocked. Ten debug builds on two cores are slow.
const PATIENCE: Duration = Duration::from_secs(90);
/// Calls after which a server is ended in order and replaced: its client keeps all of its output.
const CALLS: u64 = 400;
/// Handles that a player remembers, also those that its earlier servers gave.
const HANDLES: usize = 12;

/// A player's server, as the vandal sees it.
#[derive(Default)]
pub(crate) struct Slot {
    pub(super) process: Option<Process>,
    pub(super) killed: bool,
    pub(super) opening: bool,
}

/// What came of a call.
enum Outcome {
    Result(Value),
    Failure(String),
    /// The server was killed; the answer is none.
    Killed,
}

pub(super) struct Player<'a> {
    ground: &'a Ground<'a>,
    index: usize,
    cap: u64,
    dice: Random,
    server: Server,
    calls: u64,
    /// Handles and the commit that each must be.
    handles: Vec<(String, usize)>,
}

impl<'a> Player<'a> {
    pub(super) fn new(ground: &'a Ground<'a>, index: usize, cap: u64) -> Result<Self> {
        let server = start(ground, index, cap)?;
        let dice = Random::new(ground.options.seed.wrapping_mul(1000).wrapping_add(index as u64));
        Ok(Self { ground, index, cap, dice, server, calls: 0, handles: Vec::new() })
    }

    pub(super) fn play(mut self) -> Result<()> {
        let mut rounds = 0;
        while !self.ground.is_over() && rounds < self.ground.options.rounds {
            rounds += 1;
            if self.calls > CALLS {
                self.retire()?;
                Tally::add(&self.ground.tally.retired);
            }
            self.round()?;
        }
        // Whoever is killed is replaced, also at the very end: the next server is what cleans up.
        while self.withdraw() {
            self.replace()?;
        }
        ended_well(&self.server.finish(PATIENCE)?)
    }

    /// Takes the server out of the vandal's sight; says whether that was too late.
    fn withdraw(&self) -> bool {
        let mut slot = self.ground.slots[self.index].lock().unwrap_or_else(PoisonError::into_inner);
        slot.process = None;
        slot.killed
    }

    fn round(&mut self) -> Result<()> {
        let commits = &self.ground.world.commits;
        let number = self.dice.index(commits.len());
        let commit = &commits[number];
        let owner = if self.dice.once_in(4) { "local" } else { "demo" };
        let reference = if self.dice.once_in(2) { &commit.id } else { &commit.branch };
        let freshness = if self.dice.once_in(3) { "require_fresh" } else { "allow_stale" };
        let repo = format!("{owner}/r{}", commit.repository);
        let arguments = json!({ "repo": repo, "ref": reference, "freshness": freshness });
        self.mark(true);
        let outcome = self.call("wit_open", &arguments);
        self.mark(false);
        match outcome? {
            Outcome::Killed => return self.replace(),
            Outcome::Failure(code) => bail!("open {repo} {reference}: {code}"),
            Outcome::Result(opened) => {
                ensure!(opened["commit_sha"] == commit.id.as_str(), "open gave another commit: {opened}");
                ensure!(opened["totals"]["files"] == commit.files.len(), "open gave other totals: {opened}");
                let state = match opened["cache"]["state"].as_str() {
                    Some("fresh") => 0,
                    Some("cached") => 1,
                    _ => 2,
                };
                Tally::add(&self.ground.tally.opens[state]);
                let handle = opened["snapshot_id"].as_str().context("open gave no handle")?.to_owned();
                if self.handles.len() >= HANDLES {
                    let forgotten = self.dice.index(self.handles.len());
                    self.handles.swap_remove(forgotten);
                }
                self.handles.push((handle, number));
            }
        }
        for _ in 0..=self.dice.index(3) {
            let Some((handle, number)) = self.dice.pick(&self.handles).cloned() else { break };
            let commit = &self.ground.world.commits[number];
            let alive = match self.dice.index(6) {
                0 => self.list(&handle, commit)?,
                1 => self.search(&handle, commit)?,
                _ => self.read(&handle, commit)?,
            };
            if !alive {
                return self.replace();
            }
        }
        Ok(())
    }

    /// Reads one file in pages of some size. False when the server was killed.
    fn read(&mut self, handle: &str, commit: &Commit) -> Result<bool> {
        let paths: Vec<&String> = commit.files.keys().collect();
        let path = *self.dice.pick(&paths).context("a commit without files")?;
        let file = &commit.files[path];
        let budget = [1024, 4096, 65_536, 262_144][self.dice.index(4)];
        let mut arguments = json!({ "snapshot_id": handle, "path": path, "format": "text", "max_bytes": budget });
        let mut text = String::new();
        loop {
            let page = match self.call("wit_read", &arguments)? {
                Outcome::Killed => return Ok(false),
                Outcome::Failure(code) if code == "not_text" && file.bytes.contains(&0) => return Ok(true),
                Outcome::Failure(code) => return self.evicted(handle, &code),
                Outcome::Result(page) => page,
            };
            ensure!(page["blob_sha"] == file.id.as_str(), "read gave another file: {path}");
            text.push_str(page["text"].as_str().context("read gave no text")?);
            match page["next_cursor"].as_str() {
                Some(cursor) => arguments["cursor"] = cursor.into(),
                None => break,
            }
        }
        ensure!(text.as_bytes() == file.bytes, "WRONG BYTES: {path} of {} in r{}", commit.id, commit.repository);
        Tally::add(&self.ground.tally.reads);
        self.ground.tally.bytes.fetch_add(text.len() as u64, Ordering::Relaxed);
        Ok(true)
    }

    /// Lists everything, and compares paths, sizes and ids.
    fn list(&mut self, handle: &str, commit: &Commit) -> Result<bool> {
        let mut arguments = json!({ "snapshot_id": handle, "depth": 32, "include_metadata": true, "max_items": 17 });
        let mut seen = BTreeMap::new();
        loop {
            let page = match self.call("wit_list", &arguments)? {
                Outcome::Killed => return Ok(false),
                Outcome::Failure(code) => return self.evicted(handle, &code),
                Outcome::Result(page) => page,
            };
            for item in page["items"].as_array().context("list gave no items")? {
                if item["kind"] == "file" {
                    let path = item["path"].as_str().unwrap_or_default().to_owned();
                    seen.insert(path, (item["size"].as_u64(), item["blob_sha"].as_str().map(str::to_owned)));
                }
            }
            match page["next_cursor"].as_str() {
                Some(cursor) => arguments["cursor"] = cursor.into(),
                None => break,
            }
        }
        let expected: BTreeMap<_, _> = commit
            .files
            .iter()
            .map(|(path, file)| (path.clone(), (Some(file.bytes.len() as u64), Some(file.id.clone()))))
            .collect();
        ensure!(seen == expected, "WRONG TREE: {} in r{}", commit.id, commit.repository);
        Tally::add(&self.ground.tally.lists);
        Ok(true)
    }

    /// Finds the one line that only this file has.
    fn search(&mut self, handle: &str, commit: &Commit) -> Result<bool> {
        let texts: Vec<&String> =
            commit.files.iter().filter(|(_, file)| !file.bytes.contains(&0)).map(|(p, _)| p).collect();
        let path = *self.dice.pick(&texts).context("a commit without text")?;
        let arguments = json!({ "snapshot_id": handle, "queries": [marker(commit.repository, &commit.branch, path)] });
        match self.call("wit_search_code", &arguments)? {
            Outcome::Killed => Ok(false),
            Outcome::Failure(code) => self.evicted(handle, &code),
            Outcome::Result(page) => {
                let found: Vec<_> =
                    page["items"].as_array().context("no items")?.iter().map(|item| &item["path"]).collect();
                ensure!(found == [path.as_str()], "WRONG MATCHES: {found:?} for {path}");
                Tally::add(&self.ground.tally.searches);
                Ok(true)
            }
        }
    }

    /// The one failure that may be: the snapshot is gone from the cache, and this server had not mapped it.
    fn evicted(&mut self, handle: &str, code: &str) -> Result<bool> {
        ensure!(code == "snapshot_not_found", "an answer was {code}");
        self.handles.retain(|(known, _)| known != handle);
        Tally::add(&self.ground.tally.evicted);
        Ok(true)
    }

    fn call(&mut self, tool: &str, arguments: &Value) -> Result<Outcome> {
        self.calls += 1;
        let begun = Instant::now();
        let parameters = json!({ "name": tool, "arguments": arguments });
        let answer = self.server.request("tools/call", &parameters).map(|id| self.server.wait(id, PATIENCE));
        let Ok(Some((answer, _))) = answer else {
            let slot = self.ground.slots[self.index].lock().unwrap_or_else(PoisonError::into_inner);
            ensure!(slot.killed, "{tool} was not answered in {:.1} s", begun.elapsed().as_secs_f64());
            return Ok(Outcome::Killed);
        };
        let taken = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.ground.tally.slowest_ms.fetch_max(taken, Ordering::Relaxed);
        let result = &answer["result"];
        let structured = result["structuredContent"].clone();
        if result["isError"] == true {
            let code = structured["code"].as_str().context("a failure without a code")?;
            return Ok(Outcome::Failure(code.to_owned()));
        }
        ensure!(structured.is_object(), "{tool} answered {answer}");
        Ok(Outcome::Result(structured))
    }

    fn mark(&self, opening: bool) {
        self.ground.slots[self.index].lock().unwrap_or_else(PoisonError::into_inner).opening = opening;
    }

    /// Puts a new server in the place of a killed one.
    fn replace(&mut self) -> Result<()> {
        self.withdraw();
        self.server = start(self.ground, self.index, self.cap)?;
        self.calls = 0;
        Ok(())
    }

    /// Ends the server in order, unless the vandal was faster, and starts another.
    fn retire(&mut self) -> Result<()> {
        let killed = self.withdraw();
        let next = start(self.ground, self.index, self.cap)?;
        let ended = std::mem::replace(&mut self.server, next).finish(PATIENCE)?;
        self.calls = 0;
        if killed { Ok(()) } else { ended_well(&ended) }
    }
}

/// By itself, with success, and with nothing on stdout but answers.
fn ended_well(ended: &Ended) -> Result<()> {
    let well = ended.status.is_some_and(|status| status.success()) && ended.impurities.is_empty();
    ensure!(well, "a server ended with {:?}, {:?}", ended.status, ended.impurities);
    Ok(())
}

fn start(ground: &Ground<'_>, index: usize, cap: u64) -> Result<Server> {
    let mut arguments: Vec<OsString> = ["mcp", "--cache-dir"].map(OsString::from).into();
    arguments.push(ground.cache.into());
    arguments.extend(["--cache-bytes".into(), cap.to_string().into()]);
    arguments.extend(["--github-url".into(), ground.world.server.url().into()]);
    for mapping in ground.world.mappings() {
        arguments.extend(["--local".into(), mapping.into()]);
    }
    let home = ground.cache.parent().context("a cache without a parent")?;
    let environment = [("HOME".into(), home.into())];
    let mut server = Server::start(&ground.options.binary, &arguments, &environment, home)?;
    server.initialize(PATIENCE)?;
    let mut slot = ground.slots[index].lock().unwrap_or_else(PoisonError::into_inner);
    *slot = Slot { process: server.process(), killed: false, opening: false };
    Ok(server)
}
