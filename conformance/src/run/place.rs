//! The place a case's server runs in: directories, environment, command line, and the canaries planted in them.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::{Kit, Variation, text};
use crate::canary::Canary;
use crate::corpus::{Act, Case, Observed, Upstream};
use crate::fixture::{self, CONTENT_CANARY};
use crate::upstream::Listener;

/// Places whose canaries may stand in no file.
const SECRETS: [&str; 2] = ["GITHUB_TOKEN", "environment variable"];

/// Everything around one server.
pub(super) struct Place {
    directory: tempfile::TempDir,
    temporary: PathBuf,
    arguments: Vec<OsString>,
    environment: Vec<(OsString, OsString)>,
    canaries: Vec<Canary>,
    /// What listens behind `--github-url`.
    pub(super) upstream: Listener,
}

impl Place {
    pub(super) fn make(kit: &Kit, case: &Case, variation: &Variation) -> Result<Self> {
        let directory = tempfile::Builder::new().prefix("wit-case-").tempdir()?;
        let token = Canary::new("GITHUB_TOKEN")?;
        let variable = Canary::new("environment variable")?;
        let cache = Canary::new("cache path")?;
        let temporary = Canary::new("temporary path")?;
        let home = Canary::new("home path")?;
        let local = Canary::new("path of a local repository")?;
        let wire = Canary::new("text of the git server")?;

        let root = directory.path();
        let [temporary_path, cache_path, home_path, local_path] =
            [&temporary, &cache, &home, &local].map(|canary| root.join(&canary.text));
        for path in [&temporary_path, &cache_path, &home_path, &local_path] {
            fs::create_dir_all(path)?;
        }
        let policy_path = root.join("policy.toml");
        fs::write(&policy_path, case.setup.policy.to_string())?;
        let upstream = match case.setup.upstream {
            Upstream::FailsLater => {
                let served = root.join("served");
                fixture::clone_bare(&kit.fixture.path, &served.join(format!("{}.git", fixture::REMOTE_NAME)))?;
                Listener::failing_later(&served)?
            }
            other => Listener::start(other, &wire.text)?,
        };
        let mut locals = Vec::with_capacity(case.setup.local.len());
        for (index, (name, kind)) in case.setup.local.iter().enumerate() {
            locals.push((name.clone(), text(&fixture::build_named(kind, &local_path, index)?)));
        }
        let missing = text(&local_path.join("nothing-here"));

        if let Some(foreign) = &kit.foreign {
            let made = [
                ("{policy}", text(&policy_path)),
                ("{upstream}", upstream.url()),
                ("{fixture}", text(&kit.fixture.path)),
                ("{cache}", text(&cache_path)),
                ("{temporary}", text(&temporary_path)),
                ("{home}", text(&home_path)),
                ("{token}", token.text.clone()),
                ("{variable}", variable.text.clone()),
                ("{missing}", missing),
            ];
            let dress = foreign.dress(case, &locals, &made);
            let canaries = vec![token, variable, cache, temporary, home, local, wire, kit.fixture.canary.clone()];
            let (arguments, environment) = dress;
            return Ok(Self { directory, temporary: temporary_path, arguments, environment, canaries, upstream });
        }

        let mut arguments: Vec<OsString> = ["mcp", "--mode", "code", "--policy"].map(OsString::from).into();
        arguments.push(policy_path.into());
        arguments.extend(["--github-url".into(), upstream.url().into()]);
        arguments.extend(["--local".into(), format!("{}={}", fixture::NAME, text(&kit.fixture.path)).into()]);
        for (name, path) in &locals {
            arguments.extend(["--local".into(), format!("{name}={path}").into()]);
        }
        arguments.extend(case.setup.arguments.iter().map(|word| word.replace("{missing}", &missing).into()));
        if let Some(worker) = &variation.worker {
            arguments.extend(["--worker".into(), worker.into()]);
        }

        let mut environment: Vec<(OsString, OsString)> = vec![
            ("GITHUB_TOKEN".into(), format!("ghp_{}", token.text).into()),
            ("WIT_CANARY".into(), variable.text.clone().into()),
            ("WIT_CACHE_DIR".into(), cache_path.into()),
            ("TMPDIR".into(), temporary_path.clone().into()),
            ("HOME".into(), home_path.into()),
        ];
        if case.setup.act != Act::Start {
            // The most talkative log there is, since that is where leaks hide.
            environment.push(("WIT_LOG".into(), "trace".into()));
        }
        environment.extend(case.setup.environment.iter().map(|(name, value)| (name.into(), value.into())));

        let mut canaries = vec![token, variable, cache, temporary, home, local, wire, kit.fixture.canary.clone()];
        if variation.worker.is_some() {
            canaries
                .push(Canary { place: "hostile worker's output", text: crate::frames::template::CANARY.to_owned() });
        }
        Ok(Self { directory, temporary: temporary_path, arguments, environment, canaries, upstream })
    }

    pub(super) fn arguments(&self) -> &[OsString] {
        &self.arguments
    }

    pub(super) fn environment(&self) -> &[(OsString, OsString)] {
        &self.environment
    }

    pub(super) fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// Canaries that came out. What a script returned of a repository's contents may stand on stdout.
    pub(super) fn leaks(&self, stdout: &[u8], stderr: &[u8], observed: &Observed) -> Vec<String> {
        let mut faults = Vec::new();
        for canary in &self.canaries {
            for (stream, bytes) in [("stdout", stdout), ("stderr", stderr)] {
                if let Some(form) = canary.found_in(bytes) {
                    faults.push(format!("{stream} holds the canary of the {} ({form})", canary.place));
                }
            }
        }
        let returned = match observed {
            Observed::Success(object) => object.get("value").is_some_and(|v| v.to_string().contains(CONTENT_CANARY)),
            _ => false,
        };
        let content = Canary { place: "repository content", text: CONTENT_CANARY.to_owned() };
        let streams = [("stderr", stderr), ("stdout", if returned { b"" } else { stdout })];
        for (stream, bytes) in streams {
            if let Some(form) = content.found_in(bytes) {
                faults.push(format!("{stream} holds the canary of the repository content ({form})"));
            }
        }
        faults
    }

    /// Files that hold a secret: the token goes in memory to the transport, never to a file (DESIGN §7).
    pub(super) fn written_secrets(&self) -> Vec<String> {
        let secrets: Vec<&Canary> = self.canaries.iter().filter(|canary| SECRETS.contains(&canary.place)).collect();
        let mut faults = Vec::new();
        let mut directories = vec![self.directory.path().to_owned()];
        while let Some(directory) = directories.pop() {
            for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
                // Links are not followed: what they lead to is not the server's writing.
                match entry.file_type() {
                    Ok(kind) if kind.is_dir() => directories.push(entry.path()),
                    Ok(kind) if kind.is_file() => {
                        let bytes = fs::read(entry.path()).unwrap_or_default();
                        let found = secrets.iter().filter_map(|canary| Some((canary.place, canary.found_in(&bytes)?)));
                        faults.extend(found.map(|(place, form)| {
                            let name = entry.file_name().to_string_lossy().into_owned();
                            format!("the file {name} holds the canary of the {place} ({form})")
                        }));
                    }
                    _ => {}
                }
            }
        }
        faults
    }

    /// What the server left in its temporary directory.
    pub(super) fn leftovers(&self) -> Vec<String> {
        match fs::read_dir(&self.temporary) {
            Ok(entries) => entries
                .flatten()
                .map(|entry| format!("left in the temporary directory: {}", entry.file_name().to_string_lossy()))
                .collect(),
            Err(error) => vec![format!("the temporary directory is gone: {error}")],
        }
    }
}
