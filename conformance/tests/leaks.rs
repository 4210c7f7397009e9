//! The search for canaries bites: the real server behind a wrapper that leaks, one place and one form at a time, and a
//! hostile worker whose output is let out. A leak that is not found here would not be found in any case.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result, ensure};
use conformance::corpus::{self, Case, Corpus};
use conformance::fixture::CONTENT_CANARY;
use conformance::frames::{self, template};
use conformance::parallel::{side_by_side, twice_the_processors};
use conformance::run::Kit;

/// A case that any correct server passes.
const CASE: &str = "wrap-top-level-await-and-return";
/// One whose git server answers with a canary.
const UPSTREAM_CASE: &str = "open-upstream-garbage";
/// One with a hostile worker.
const WORKER_CASE: &str = "frame-byte-by-byte";

/// Forms of a leak, as a shell writes its standard input, and words of the fault.
const FORMS: &[(&str, &str)] = &[
    ("cat", "(raw)"),
    ("base64 -w0", "base64)"),
    ("(printf x; cat) | base64 -w0", "base64)"),
    ("(printf xy; cat) | base64 -w0", "base64)"),
    ("base64 -w0 | tr '+/' '-_'", "base64)"),
    ("od -An -v -tx1 | tr -d ' \\n'", "(hex)"),
    ("od -An -v -tx1 | tr -d ' \\n' | tr a-f A-F", "(upper-case hex)"),
    ("od -An -v -tx1 | tr -d '\\n' | sed 's/ /\\\\u00/g'", "(JSON escapes)"),
    ("od -An -v -tx1 | tr -d '\\n' | tr a-f A-F | sed 's/ /\\\\u00/g'", "(JSON escapes)"),
    ("head -c 24", "its beginning"),
];

/// Places of the parent's, as its own shell sees them, and words of the fault.
const PLACES: &[(&str, &str)] = &[
    ("\"$GITHUB_TOKEN\"", "canary of the GITHUB_TOKEN"),
    ("\"$WIT_CANARY\"", "canary of the environment variable"),
    ("\"$WIT_CACHE_DIR\"", "canary of the cache path"),
    ("\"$TMPDIR\"", "canary of the temporary path"),
    ("\"$HOME\"", "canary of the home path"),
    ("\"$*\"", "canary of the path of a local repository"),
];

struct Bench {
    kit: Arc<Kit>,
    corpus: Corpus,
}

impl Bench {
    fn set() -> Result<Self> {
        Ok(Self { kit: Kit::new()?, corpus: corpus::load(&corpus::directory())? })
    }

    fn case(&self, id: &str) -> Result<&Case> {
        self.corpus.cases.iter().find(|case| case.id == id).context("the case is gone")
    }

    /// The server behind lines of a shell.
    fn kit(&self, directory: &Path, lines: &str) -> Result<Kit> {
        let path = directory.join("wrapper");
        fs::write(&path, format!("#!/bin/sh\n{lines}\nexec '{}' \"$@\"\n", self.kit.binary.display()))?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        Ok(self.kit.behind(path))
    }

    /// Runs a harmless case behind lines of a shell, which must be found at fault.
    fn leak(&self, id: &str, lines: &str, fault: &[&str]) -> Result<()> {
        let directory = tempfile::tempdir()?;
        let faults = self.kit(directory.path(), lines)?.run(self.case(id)?)?.faults;
        ensure!(
            faults.iter().any(|found| fault.iter().all(|part| found.contains(part))),
            "{lines}: {fault:?} is not in {faults:?}"
        );
        Ok(())
    }
}

#[test]
fn every_form_is_found() -> Result<()> {
    let bench = Bench::set()?;
    side_by_side(twice_the_processors(), FORMS, |(form, words)| {
        let secret = if form.starts_with("head") { "${GITHUB_TOKEN#ghp_}" } else { "$GITHUB_TOKEN" };
        let lines = format!("printf %s \"{secret}\" | ({form}) >&2; echo >&2");
        bench.leak(CASE, &lines, &["stderr holds the canary of the GITHUB_TOKEN", words])
    })
    .map(drop)
}

#[test]
fn every_place_is_found_on_either_stream_and_in_files() -> Result<()> {
    let bench = Bench::set()?;
    side_by_side(twice_the_processors(), PLACES, |(place, words)| {
        bench.leak(CASE, &format!("printf '%s\\n' {place} >&2"), &["stderr", words])
    })?;
    // Inside a message that is proper in every other way.
    let message = "printf '{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\",\"params\":{\"level\":\"info\",\"data\":\"%s\"}}\\n'";
    bench.leak(CASE, &format!("{message} \"$GITHUB_TOKEN\""), &["stdout holds the canary of the GITHUB_TOKEN"])?;
    bench.leak(CASE, "printf %s \"$GITHUB_TOKEN\" > \"$WIT_CACHE_DIR/config\"", &["the file config holds"])?;
    bench.leak(CASE, &format!("echo '{CONTENT_CANARY}' >&2"), &["stderr holds the canary of the repository content"])
}

#[test]
fn a_backend_s_words_are_found() -> Result<()> {
    let bench = Bench::set()?;
    let lines = "for word in \"$@\"; do case \"$word\" in http://127.0.0.1:*) url=$word;; esac; done\n\
                 bash -c 'exec 3<>\"/dev/tcp/127.0.0.1/$0\"; printf \"GET / HTTP/1.0\\r\\n\\r\\n\" >&3; head -c 2000 <&3 >&2' \"${url##*:}\"";
    bench.leak(UPSTREAM_CASE, lines, &["stderr holds the canary of the text of the git server"])
}

#[test]
fn a_worker_s_words_are_found() -> Result<()> {
    let bench = Bench::set()?;
    let case = bench.case(WORKER_CASE)?;
    let directory = tempfile::tempdir()?;
    let worker = Path::new(env!("CARGO_BIN_EXE_hostile_worker"));
    let clean = bench.kit(directory.path(), ":")?;
    let faults = frames::perform::run(&clean, worker, case)?.faults;
    ensure!(faults.is_empty(), "{faults:?}");
    let leaking = bench.kit(directory.path(), &format!("echo 'worker: {}' >&2", template::CANARY))?;
    let faults = frames::perform::run(&leaking, worker, case)?.faults;
    ensure!(faults.iter().any(|fault| fault.contains("canary of the hostile worker's output")), "{faults:?}");
    Ok(())
}
