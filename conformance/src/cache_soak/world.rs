//! The repositories of a soak, a git server in front of them, and what git itself says is in every commit.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, bail};

use crate::double::git_http::GitServer;
use crate::fixture;
use crate::random::Random;

const REPOSITORIES: usize = 3;
const COMMITS: usize = 6;
const FILES: usize = 40;
/// Largest file in lines.
const LINES: usize = 400;

/// What git says is in a commit.
pub(super) struct Commit {
    pub(super) repository: usize,
    /// A branch that leads to it and never moves.
    pub(super) branch: String,
    pub(super) id: String,
    pub(super) files: BTreeMap<String, File>,
}

/// A file as git has it.
pub(super) struct File {
    pub(super) id: String,
    pub(super) bytes: Vec<u8>,
}

/// Repositories, served over smart HTTP as `demo/rN` and mapped from disk as `local/rN`.
pub(super) struct World {
    root: PathBuf,
    pub(super) server: GitServer,
    pub(super) commits: Vec<Commit>,
}

impl World {
    /// Makes everything below a directory.
    pub(super) fn make(directory: &Path) -> Result<Self> {
        let root = directory.join("served");
        let mut dice = Random::new(7);
        let mut commits = Vec::new();
        for repository in 0..REPOSITORIES {
            let path = root.join(format!("demo/r{repository}.git"));
            std::fs::create_dir_all(&path)?;
            git(&path, &["init", "--quiet", "--bare", "--initial-branch=b0", "."])?;
            fill(&path, repository, &mut dice)?;
            for number in 0..COMMITS {
                commits.push(told(&path, repository, format!("b{number}"))?);
            }
        }
        let server = GitServer::start(&root)?;
        Ok(Self { root, server, commits })
    }

    /// The operator's mappings of the same repositories.
    pub(super) fn mappings(&self) -> impl Iterator<Item = String> {
        (0..REPOSITORIES)
            .map(|number| format!("local/r{number}={}", self.root.join(format!("demo/r{number}.git")).display()))
    }

    /// Bytes that a snapshot of any of them takes at most: contents, a page, and less than 256 bytes for a path.
    pub(super) fn snapshot_bytes(&self) -> u64 {
        let bytes =
            |commit: &Commit| commit.files.values().map(|file| file.bytes.len() as u64 + 256).sum::<u64>() + 4096;
        self.commits.iter().map(bytes).max().unwrap_or_default()
    }
}

/// A line that only one file of one commit has.
pub(super) fn marker(repository: usize, branch: &str, path: &str) -> String {
    format!("marker r{repository} {branch} {path} end")
}

/// Writes all commits in one go.
fn fill(path: &Path, repository: usize, dice: &mut Random) -> Result<()> {
    let mut child = command(path, &["fast-import", "--quiet"]).stdin(Stdio::piped()).spawn().context("git")?;
    let mut stream = child.stdin.take().context("git takes no input")?;
    for number in 0..COMMITS {
        let branch = format!("b{number}");
        writeln!(stream, "commit refs/heads/{branch}\ncommitter T <t@example.invalid> 1700000000 +0000")?;
        writeln!(stream, "data {}\n{branch}\ndeleteall", branch.len())?;
        for index in 0..FILES {
            let path = format!("d{}/f{index}.txt", index % 5);
            let mut contents = Vec::new();
            for line in 0..dice.index(LINES) {
                writeln!(contents, "{line} {:016x} of {path} in {branch} of r{repository}", dice.index(usize::MAX))?;
            }
            writeln!(contents, "{}", marker(repository, &branch, &path))?;
            if index % 20 == 19 {
                contents.push(0);
            }
            writeln!(stream, "M 100644 inline {path}\ndata {}", contents.len())?;
            stream.write_all(&contents)?;
            writeln!(stream)?;
        }
    }
    drop(stream);
    if child.wait()?.success() { Ok(()) } else { bail!("git fast-import failed") }
}

/// Asks git about a commit.
fn told(path: &Path, repository: usize, branch: String) -> Result<Commit> {
    let id = git(path, &["rev-parse", &branch])?;
    let listed = git(path, &["ls-tree", "-r", &id])?;
    let mut child =
        command(path, &["cat-file", "--batch"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().context("git")?;
    let (mut asked, answers) = (child.stdin.take().context("git")?, child.stdout.take().context("git")?);
    let mut answers = BufReader::new(answers);
    let mut files = BTreeMap::new();
    for line in listed.lines() {
        let (facts, path) = line.split_once('\t').context("git ls-tree")?;
        let object = facts.split(' ').nth(2).context("git ls-tree")?;
        writeln!(asked, "{object}")?;
        asked.flush()?;
        let mut head = String::new();
        answers.read_line(&mut head)?;
        let size: usize = head.split_whitespace().nth(2).context("git cat-file")?.parse()?;
        let mut bytes = vec![0; size + 1];
        answers.read_exact(&mut bytes)?;
        bytes.pop();
        files.insert(path.to_owned(), File { id: object.to_owned(), bytes });
    }
    drop(asked);
    child.wait()?;
    Ok(Commit { repository, branch, id, files })
}

fn git(path: &Path, arguments: &[&str]) -> Result<String> {
    let output = command(path, arguments).output().context("the soak builds its repositories with git")?;
    if !output.status.success() {
        bail!("git {} failed", arguments.join(" "));
    }
    Ok(String::from_utf8(output.stdout)?.trim_end().to_owned())
}

fn command(path: &Path, arguments: &[&str]) -> Command {
    let mut command = fixture::git(path);
    command.args(arguments);
    command
}
