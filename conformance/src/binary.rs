//! The program under test: the one that `WIT_CONFORMANCE_BIN` names, or the one this checkout builds.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use anyhow::{Context, Result, bail};

/// Names an installed binary to hold to the gate.
pub const VARIABLE: &str = "WIT_CONFORMANCE_BIN";

/// A test of the `wit` package: asking for one builds the binary, and it is the smallest.
pub(crate) const SMALL_TEST: &str = "docs";
/// The same for the kit's own programs.
const SMALL_TEST_OF_KIT: &str = "documents";

/// Finds or builds the binary, once for a process.
///
/// # Errors
/// When the variable names no file, or the build fails.
pub fn locate() -> Result<PathBuf> {
    static FOUND: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    FOUND.get_or_init(|| find().map_err(|error| format!("{error:#}"))).clone().map_err(anyhow::Error::msg)
}

fn find() -> Result<PathBuf> {
    if let Some(given) = env::var_os(VARIABLE) {
        let path = PathBuf::from(&given);
        let found = path.canonicalize().with_context(|| format!("{VARIABLE} is {}", path.display()))?;
        return if found.is_file() { Ok(found) } else { bail!("{VARIABLE} is {}, not a file", found.display()) };
    }
    eprintln!("building the wit of this checkout (set {VARIABLE} to hold another one to the corpus)");
    // As `cargo test --workspace` builds it: another selection of packages would resolve other features, and build
    // most dependencies a second time. One test of it is enough: every other one would be linked for nothing.
    build(&["test", "--workspace", "--no-run", "--test", SMALL_TEST], "wit")
}

/// The kit's own program of a name: built when cargo runs us, else the one beside us.
///
/// # Errors
/// When it cannot be built, or is not there.
pub fn companion(name: &str) -> Result<PathBuf> {
    let beside = env::current_exe()?.with_file_name(name);
    if env::var_os("CARGO").is_some() {
        // `cargo run` builds the one program it runs, so another may be missing or old.
        // As in [`find`]: a test of this package brings its programs along.
        let mut arguments = vec!["test", "--workspace", "--no-run", "--test", SMALL_TEST_OF_KIT];
        if beside.parent().is_some_and(|directory| directory.ends_with("release")) {
            arguments.push("--release");
        }
        return build(&arguments, name);
    }
    if beside.is_file() { Ok(beside) } else { bail!("{} is not there; start the kit with cargo", beside.display()) }
}

/// Builds a target of this workspace and gives its executable.
///
/// # Errors
/// When cargo fails or reports no executable of that name.
pub fn build(arguments: &[&str], target: &str) -> Result<PathBuf> {
    let output = cargo()
        .args(arguments)
        .args(["--quiet", "--message-format", "json-render-diagnostics"])
        .current_dir(workspace())
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run cargo to build the binary")?;
    if !output.status.success() {
        bail!("cargo {} failed", arguments.join(" "));
    }
    // One JSON object a line; the last executable of that name is the one just built.
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter(|message| message.pointer("/target/name").and_then(|name| name.as_str()) == Some(target))
        // Not the unit tests of the same name.
        .filter(|message| message.pointer("/profile/test").and_then(|test| test.as_bool()) == Some(false))
        .filter_map(|message| message.get("executable")?.as_str().map(PathBuf::from))
        .next_back()
        .with_context(|| format!("cargo reported no executable named {target}"))
}

/// The cargo that runs us, or the one on the path; with the user's settings and without what it told us.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    // What cargo told this test about its own package is no concern of another build; a build script that asks to be
    // run again when such a variable changes would otherwise be.
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        if ["CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_BIN_", "CARGO_CRATE_"].iter().any(|prefix| text.starts_with(prefix))
        {
            command.env_remove(&name);
        }
    }
    command
}

/// The root of this checkout.
#[must_use]
pub fn workspace() -> PathBuf {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    beside.canonicalize().unwrap_or(beside)
}
