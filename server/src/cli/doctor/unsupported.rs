//! Platforms whose worker lockdown is not written yet: Code Mode refuses there.

use std::path::Path;

use super::{Platform, Sandbox};

pub(super) fn examine(_worker: Option<&Path>) -> Sandbox {
    let problem = "this platform has no worker lockdown: Code Mode answers sandbox_unavailable, unless \
                   --unsandboxed-worker is given; direct mode works";
    Sandbox { problem: Some(problem.to_owned()), ..Sandbox::default() }
}

pub(super) fn platform() -> Platform {
    Platform { system: std::env::consts::OS, architecture: std::env::consts::ARCH, kernel: String::new(), root: false }
}
