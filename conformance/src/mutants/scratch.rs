//! A copy of the workspace that mutants are put into, with a build directory of its own that stays warm.
//!
//! Only files whose contents differ are written, so that a second run builds nothing it has built before.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;

use super::Mutant;
use crate::binary::{SMALL_TEST, cargo, workspace};

/// The copy.
pub(super) struct Scratch {
    tree: PathBuf,
    target: PathBuf,
    /// The mutant's files as they were, to be put back. Not read from the workspace, which may change meanwhile.
    changed: Vec<(String, String)>,
}

/// What a build gave.
pub(super) enum Built {
    /// Executables by target name.
    Yes(BTreeMap<String, PathBuf>),
    /// The first error.
    No(String),
}

impl Scratch {
    /// Makes the copy below `directory`, or brings it up to date.
    ///
    /// # Errors
    /// When git does not list the files, or the disk does not take them.
    pub(super) fn prepare(directory: &Path) -> Result<Self> {
        let tree = directory.join("tree");
        fs::create_dir_all(&tree)?;
        let listed = Command::new("git")
            .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
            .current_dir(workspace())
            .output()
            .context("cannot list the workspace's files with git")?;
        ensure!(listed.status.success(), "git ls-files failed");
        let files: Vec<&Path> = listed
            .stdout
            .split(|byte| *byte == 0)
            .filter_map(|name| std::str::from_utf8(name).ok())
            .filter(|name| !name.is_empty())
            .map(Path::new)
            .filter(|name| workspace().join(name).is_file())
            .collect();
        for name in &files {
            put(&tree.join(name), &fs::read(workspace().join(name))?)?;
        }
        prune(&tree, &tree, &files)?;
        Ok(Self { tree, target: directory.join("target"), changed: Vec::new() })
    }

    /// Puts a mutant in.
    ///
    /// # Errors
    /// When it does not apply, or the disk does not take it.
    pub(super) fn change(&mut self, mutant: &Mutant) -> Result<()> {
        for (name, text) in mutant.applied(&self.tree).map_err(anyhow::Error::msg)? {
            let path = self.tree.join(&name);
            self.changed.push((name, fs::read_to_string(&path)?));
            fs::write(&path, text)?;
        }
        Ok(())
    }

    /// Takes the mutant out again.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub(super) fn restore(&mut self) -> Result<()> {
        for (name, text) in self.changed.drain(..) {
            fs::write(self.tree.join(&name), text)?;
        }
        Ok(())
    }

    /// Builds the binary and the test programs of these names. `changed`: the binary must come out new.
    ///
    /// # Errors
    /// When cargo cannot be run, or the change has not reached the binary.
    pub(super) fn build(&self, programs: &[&str], changed: bool) -> Result<Built> {
        // The whole workspace, as everywhere in this kit: another selection resolves other features.
        let mut command = cargo();
        command.args(["test", "--workspace", "--no-run", "--message-format", "json", "--test", SMALL_TEST]);
        command.args(programs.iter().flat_map(|program| ["--test", program]));
        let output = command
            .env("CARGO_TARGET_DIR", &self.target)
            // A mutant is built once and run for seconds: what the workspace's own code gains by optimisation is less
            // than it costs. The engine and other dependencies stay as they are.
            .env("CARGO_PROFILE_DEV_OPT_LEVEL", "0")
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .current_dir(&self.tree)
            .stdin(Stdio::null())
            .stderr(Stdio::piped())
            .output()
            .context("cannot run cargo")?;
        let messages: Vec<Value> =
            output.stdout.split(|b| *b == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect();
        if !output.status.success() {
            let errors =
                messages.iter().filter(|m| m.pointer("/message/level").and_then(Value::as_str) == Some("error"));
            let first = errors.filter_map(|m| m.pointer("/message/rendered")?.as_str()).next().map(str::to_owned);
            return Ok(Built::No(first.unwrap_or_else(|| String::from_utf8_lossy(&output.stderr).into_owned())));
        }
        let mut executables = BTreeMap::new();
        for message in &messages {
            let (name, path) = (message.pointer("/target/name"), message.get("executable"));
            let (Some(name), Some(path)) = (name.and_then(Value::as_str), path.and_then(Value::as_str)) else {
                continue;
            };
            let is_test = message.pointer("/profile/test").and_then(Value::as_bool) == Some(true);
            // Test programs of other packages may have the same name.
            let is_ours = message
                .get("manifest_path")
                .and_then(Value::as_str)
                .is_some_and(|path| Path::new(path).starts_with(self.package()));
            if name == "wit" && !is_test && changed && message.get("fresh").and_then(Value::as_bool) != Some(false) {
                bail!("the change has not reached the binary");
            }
            if (is_test && is_ours) || (!is_test && name == "wit") {
                executables.insert(name.to_owned(), path.into());
            }
        }
        ensure!(executables.contains_key("wit"), "cargo reported no wit");
        Ok(Built::Yes(executables))
    }

    /// Where this crate's tests run.
    pub(super) fn package(&self) -> PathBuf {
        self.tree.join("conformance")
    }
}

/// Writes a file if it is not there with this content already.
fn put(path: &Path, contents: &[u8]) -> Result<()> {
    if fs::read(path).is_ok_and(|there| there == contents) {
        return Ok(());
    }
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    Ok(fs::write(path, contents)?)
}

/// Removes files that are not of the list: a case that is gone must not be run.
fn prune(root: &Path, directory: &Path, files: &[&Path]) -> Result<()> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        let name = path.strip_prefix(root)?;
        if path.is_dir() {
            prune(root, &path, files)?;
        } else if !files.contains(&name) {
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}
