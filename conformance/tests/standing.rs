//! The standing invariants bite: the real server behind a wrapper that breaks one of them must fail a harmless case.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use conformance::binary;
use conformance::corpus::{self, Case};
use conformance::parallel::{side_by_side, twice_the_processors};
use conformance::run::Kit;

/// A case that any correct server passes.
const CASE: &str = "wrap-top-level-await-and-return";

/// Wrappers by what they break: a shell script around `"$WIT" "$@"`, and words of the fault that must be found.
const WRAPPERS: &[(&str, &str, &str)] = &[
    ("nothing", "exec WIT \"$@\"", ""),
    ("stdout is pure", "echo hello; exec WIT \"$@\"", "not JSON: hello"),
    ("no token on stderr", "echo \"token $GITHUB_TOKEN\" >&2; exec WIT \"$@\"", "canary of the GITHUB_TOKEN (raw)"),
    ("no path on stderr", "echo \"$WIT_CACHE_DIR\" >&2; exec WIT \"$@\"", "canary of the cache path"),
    ("nothing left behind", ": > \"$TMPDIR/left\"; exec WIT \"$@\"", "left in the temporary directory: left"),
    ("ends with success", "WIT \"$@\"; exit 3", "ended with exit status: 3"),
    ("ends with its input", "WIT \"$@\"; exec sleep 600", "did not end within"),
    ("reaps its workers", "sleep 600 & exec WIT \"$@\"", "workers were left behind"),
];

fn wrapped(program: &Path, directory: &Path, body: &str) -> Result<std::path::PathBuf> {
    let path = directory.join("wrapper");
    let quoted = format!("'{}'", program.display());
    fs::write(&path, format!("#!/bin/sh\n{}\n", body.replace("WIT \"$@\"", &format!("{quoted} \"$@\""))))?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
    Ok(path)
}

#[test]
fn each_breach_is_found() -> Result<()> {
    let program = binary::locate()?;
    let corpus = corpus::load(&corpus::directory())?;
    let case: &Case = corpus.cases.iter().find(|case| case.id == CASE).context("the case is gone")?;
    let kit = Kit::with_binary(program.clone())?;
    side_by_side(twice_the_processors(), WRAPPERS, |(what, body, fault)| {
        let directory = tempfile::tempdir()?;
        let faults = kit.behind(wrapped(&program, directory.path(), body)?).run(case)?.faults;
        if fault.is_empty() {
            ensure!(faults.is_empty(), "{what}: {faults:?}");
        } else {
            ensure!(faults.iter().any(|found| found.contains(fault)), "{what}: {faults:?}");
        }
        Ok(())
    })
    .map(drop)
}
