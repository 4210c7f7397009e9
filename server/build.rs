//! Builds the worker image that `wit` carries (`src/codemode/linux/program.rs`).
//!
//! A worker started from the server's own 14 MB executable pays for the server: 36 000 relocations and the pages they
//! touch. The image is the same crate linked alone: static, position-independent, under a tenth of the relocations. It
//! is always built with the `worker` profile, so that debug builds test the very image that release builds ship.
//!
//! Other systems than Linux carry an empty image; Code Mode refuses there.
#![allow(clippy::print_stdout, reason = "a build script talks to cargo through stdout")]

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

const IMAGE: &str = "wit-worker";

fn main() -> ExitCode {
    let Some(build) = Build::from_environment() else {
        println!("cargo::error=the build script was not started by cargo");
        return ExitCode::FAILURE;
    };
    for input in ["worker/src", "worker/Cargo.toml", "Cargo.toml", "Cargo.lock"] {
        println!("cargo::rerun-if-changed={}", build.workspace.join(input).display());
    }
    println!("cargo::rerun-if-changed=build.rs");
    let image = build.out.join(IMAGE);
    let made =
        if build.linux { build.link(&image) } else { std::fs::write(&image, []).map_err(|error| error.to_string()) };
    match made {
        Ok(()) => {
            println!("cargo::rustc-env=WIT_WORKER_IMAGE={}", image.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            println!("cargo::error=the worker image could not be built: {error}");
            ExitCode::FAILURE
        }
    }
}

struct Build {
    cargo: OsString,
    workspace: PathBuf,
    out: PathBuf,
    target: String,
    linux: bool,
}

impl Build {
    fn from_environment() -> Option<Self> {
        Some(Self {
            cargo: env::var_os("CARGO")?,
            workspace: Path::new(&env::var_os("CARGO_MANIFEST_DIR")?).parent()?.to_owned(),
            out: env::var_os("OUT_DIR")?.into(),
            target: env::var("TARGET").ok()?,
            linux: env::var("CARGO_CFG_TARGET_OS").ok()? == "linux",
        })
    }

    /// Static where the system has a static C library; else dynamic, which only starts slower.
    fn link(&self, image: &Path) -> Result<(), String> {
        let built = self.cargo("-Ctarget-feature=+crt-static").or_else(|_| {
            println!("cargo::warning=no static C library: workers will start more slowly");
            self.cargo("")
        })?;
        std::fs::copy(built, image).map(drop).map_err(|error| error.to_string())
    }

    /// Runs cargo once more for the worker's program. Its target directory is a sibling of the profiles, so that debug
    /// and release builds share one image, and no lock the outer cargo holds is asked for.
    fn cargo(&self, flags: &str) -> Result<PathBuf, String> {
        let directory = self.out.ancestors().nth(4).unwrap_or(&self.out).join("worker-image");
        let mut command = Command::new(&self.cargo);
        for (name, _) in env::vars_os() {
            if is_outer(&name.to_string_lossy()) {
                command.env_remove(name);
            }
        }
        let status = command
            .args(["build", "--quiet", "--locked", "--package", IMAGE, "--bin", IMAGE, "--profile", "worker"])
            .args(["--target", &self.target])
            .arg("--target-dir")
            .arg(&directory)
            .arg("--manifest-path")
            .arg(self.workspace.join("Cargo.toml"))
            .env("CARGO_ENCODED_RUSTFLAGS", flags)
            .stdin(Stdio::null())
            .status()
            .map_err(|error| error.to_string())?;
        if status.success() {
            Ok(directory.join(&self.target).join("worker").join(IMAGE))
        } else {
            Err(format!("cargo ended with {status}"))
        }
    }
}

/// What describes the outer build and would change the inner one: a lint driver in place of the compiler, flags of a
/// sanitizer or of coverage, this package's own features.
fn is_outer(name: &str) -> bool {
    let prefixes = ["CARGO_CFG_", "CARGO_FEATURE_", "CARGO_PKG_", "CARGO_MANIFEST_", "CARGO_PROFILE_", "CARGO_BUILD_"];
    let names = [
        "RUSTC_WORKSPACE_WRAPPER",
        "RUSTFLAGS",
        "CARGO_TARGET_DIR",
        "OPT_LEVEL",
        "DEBUG",
        "PROFILE",
        "TARGET",
        "HOST",
        "NUM_JOBS",
        "OUT_DIR",
    ];
    prefixes.iter().any(|prefix| name.starts_with(prefix)) || names.contains(&name)
}
