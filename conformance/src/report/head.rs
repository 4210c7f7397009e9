//! What pins a report: the binary by its bytes, its engine by the library's own word, the corpus by its digest, and
//! the lockdown by what `wit doctor` finds on the machine of the run.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::catalogue::{Catalogue, sha256};

/// What was tested, on what.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Head {
    /// When, in UTC.
    pub date: String,
    /// What `--version` printed.
    pub version: String,
    /// SHA-256 of the binary's bytes.
    pub binary_sha256: String,
    /// The JavaScript engine and its version, as the binary itself names them.
    pub engine: String,
    /// SHA-256 over everything that can be run, and the flags.
    pub corpus_sha256: String,
    /// Operating system and architecture.
    pub platform: String,
    /// The kernel's release.
    pub kernel: String,
    /// Whether Code Mode starts on this machine.
    pub sandbox_available: bool,
    /// The layers of a worker's lockdown, as `wit doctor` found them.
    pub layers: Vec<Layer>,
    /// What was chosen to be run, as it was asked for; all, if nothing was asked for.
    pub selection: String,
}

/// One layer of the lockdown.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Layer {
    /// Its name.
    pub name: String,
    /// `proved` (the kernel shows it), `reported` (the worker says so), `not_applicable` or `missing`.
    pub state: String,
    /// What shows it.
    pub evidence: String,
}

impl Head {
    /// Asks the binary, the machine and the corpus.
    ///
    /// # Errors
    /// When the binary cannot be read or started.
    pub fn new(binary: &Path, catalogue: &Catalogue, date: String, selection: String) -> Result<Self> {
        let version = output(binary, &["--version"])?;
        let doctor = doctor(binary);
        let text = |pointer: &str| doctor.pointer(pointer).and_then(Value::as_str).unwrap_or("unknown").to_owned();
        let layers = doctor.pointer("/sandbox/layers").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let field = |layer: &Value, name: &str| layer.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        Ok(Self {
            date,
            version: String::from_utf8_lossy(&version).trim().to_owned(),
            binary_sha256: digest(binary)?,
            engine: text("/engine"),
            corpus_sha256: catalogue.digest(),
            platform: format!("{} {}", text("/platform/system"), text("/platform/architecture")),
            kernel: text("/platform/kernel"),
            sandbox_available: doctor.pointer("/sandbox/available").and_then(Value::as_bool).unwrap_or_default(),
            layers: layers
                .iter()
                .map(|layer| Layer {
                    name: field(layer, "name"),
                    state: field(layer, "state"),
                    evidence: field(layer, "evidence"),
                })
                .collect(),
            selection,
        })
    }

    /// Holds the binary to what was written down of it before it was run.
    ///
    /// # Errors
    /// When it is another one by now: a report would name what was not run.
    pub fn still_names(&self, binary: &Path) -> Result<()> {
        ensure!(digest(binary)? == self.binary_sha256, "{} was exchanged during the run", binary.display());
        Ok(())
    }
}

/// What `wit doctor --json` says. It exits with 3 where something is missing, and says what all the same; nothing of the
/// network is asked, and a binary that has no such command leaves the facts unknown.
fn digest(binary: &Path) -> Result<String> {
    Ok(sha256(&std::fs::read(binary).with_context(|| binary.display().to_string())?))
}

fn doctor(binary: &Path) -> Value {
    let Ok(cache) = tempfile::tempdir() else { return Value::Null };
    let cache = cache.path().to_string_lossy();
    let arguments = ["doctor", "--json", "--github-url", "http://127.0.0.1:1", "--cache-dir", cache.as_ref()];
    let bytes = output(binary, &arguments).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

fn output(binary: &Path, arguments: &[&str]) -> Result<Vec<u8>> {
    let output = Command::new(binary).args(arguments).stdin(Stdio::null()).output();
    Ok(output.with_context(|| format!("cannot run {}", binary.display()))?.stdout)
}
