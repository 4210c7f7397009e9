//! From arguments and environment to the operations and Code Mode.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use wit_worker::registry::{Code, LimitId};

use super::args::Shared;
use super::exit::Exit;
use super::{environment, input, output};
use crate::codemode::{CodeMode, CodeModeOptions, CodeModePolicy, PolicyError, StartError};
use crate::envelope::ErrorEnvelope;
use crate::operations::{HostOperations, OpenError, Operations, OperationsOptions, Refresh};
use crate::repository::{LocalMapping, LocalRepository, RepositoryError};

/// Largest policy file read, in bytes: many times the longest that says anything.
const MAX_POLICY_BYTES: u64 = 64 * 1024;

/// The policy in force: the file's, or the defaults.
///
/// # Errors
/// [`PolicyError`], with the code `invalid_policy`.
pub(super) fn policy(file: Option<&Path>) -> Result<CodeModePolicy, Exit> {
    let Some(file) = file else { return Ok(CodeModePolicy::default()) };
    read_policy(file).and_then(|text| CodeModePolicy::parse(&text)).map_err(|error| invalid_policy(&error))
}

/// As [`policy`], for commands that report failures to programs: the error object instead of a line for people.
///
/// # Errors
/// As [`policy`].
pub(super) fn policy_or_object(file: Option<&Path>) -> Result<CodeModePolicy, Exit> {
    let Some(file) = file else { return Ok(CodeModePolicy::default()) };
    read_policy(file)
        .and_then(|text| CodeModePolicy::parse(&text))
        .map_err(|error| Exit::Failure(Box::new(ErrorEnvelope::new(Code::InvalidPolicy, error.to_string()))))
}

/// A policy that will not do, as one line.
pub(super) fn invalid_policy(error: &PolicyError) -> Exit {
    Exit::Environment(format!("{}: {error}", Code::InvalidPolicy))
}

fn read_policy(file: &Path) -> Result<String, PolicyError> {
    let unreadable = |error: std::io::Error| {
        PolicyError::Unreadable(match error.kind() {
            ErrorKind::NotFound => "there is no such file".to_owned(),
            ErrorKind::FileTooLarge => format!("it is larger than {MAX_POLICY_BYTES} bytes"),
            kind => kind.to_string(),
        })
    };
    let bytes = input::file(file, MAX_POLICY_BYTES).map_err(unreadable)?;
    String::from_utf8(bytes).map_err(|_| PolicyError::Unreadable("it is not UTF-8 text".to_owned()))
}

/// The operations over the repositories the operator chose.
///
/// # Errors
/// A mapping that leads to no repository, or a cache directory that cannot be used.
pub(super) fn operations(shared: &Shared, refresh: Refresh) -> Result<Arc<dyn HostOperations>, Exit> {
    shared.local.iter().try_for_each(check_mapping)?;
    check_names(&shared.local)?;
    let cache_dir = cache_dir(shared.cache_dir.as_deref())?;
    let options = OperationsOptions {
        local: shared.local.clone(),
        allow: shared.allow.clone(),
        github_url: shared.github_url.clone().unwrap_or_default(),
        token: environment::token(),
        caps: (&shared.caps).into(),
        app: shared.app.read()?,
        refresh,
        ..OperationsOptions::new(cache_dir)
    };
    let operations = Operations::open(options).map_err(|error: OpenError| Exit::Environment(error.to_string()))?;
    Ok(operations)
}

/// Code Mode under the policy. Must be called within the runtime.
///
/// # Errors
/// When the policy is not valid.
pub(super) fn codemode(
    shared: &Shared,
    policy: CodeModePolicy,
    operations: Arc<dyn HostOperations>,
) -> Result<Arc<CodeMode>, Exit> {
    if shared.unsandboxed_worker {
        output::stderr_line(if cfg!(target_os = "linux") {
            "wit: warning: --unsandboxed-worker has no effect: Linux workers are always locked down"
        } else {
            "wit: warning: --unsandboxed-worker: scripts run WITHOUT A SANDBOX: nothing but the engine keeps them from \
             your files, your network and your processes"
        });
    }
    let options = CodeModeOptions {
        policy,
        worker: shared.worker.as_deref().map(absolute),
        unsandboxed: shared.unsandboxed_worker,
        operations,
    };
    CodeMode::start(options).map_err(|error| match error {
        StartError::Policy(error) => invalid_policy(&error),
        error => Exit::Environment(error.to_string()),
    })
}

/// The cache directory in force.
///
/// # Errors
/// When neither arguments nor environment name one.
pub(super) fn cache_dir(given: Option<&Path>) -> Result<PathBuf, Exit> {
    given.map(Path::to_owned).or_else(environment::cache_dir).ok_or_else(|| {
        Exit::Environment("no cache directory: give --cache-dir, or set WIT_CACHE_DIR or HOME".to_owned())
    })
}

/// A program's path as it stands here: a worker is started in a directory of its own.
pub(super) fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// A value of the policy as a count of things.
pub(super) fn count(policy: &CodeModePolicy, id: LimitId) -> usize {
    usize::try_from(policy.value(id)).unwrap_or(usize::MAX)
}

/// One name, one repository.
fn check_names(mappings: &[LocalMapping]) -> Result<(), Exit> {
    let mut seen = std::collections::BTreeSet::new();
    match mappings.iter().find(|mapping| !seen.insert(mapping.name.folded())) {
        Some(mapping) => Err(Exit::Usage(format!("--local {}: the name is mapped twice", mapping.name))),
        None => Ok(()),
    }
}

/// A mapping is checked before anything starts, so that a mistyped path is a line now and not a riddle later.
fn check_mapping(mapping: &LocalMapping) -> Result<(), Exit> {
    let refuse = |what: &str| {
        let shown = format!("--local {}={}", mapping.name, mapping.path.display());
        Err(Exit::Usage(format!("{shown}: {what}")))
    };
    if !mapping.path.is_dir() {
        return refuse("there is no such directory");
    }
    match LocalRepository::probe(&mapping.path) {
        Ok(()) => Ok(()),
        Err(RepositoryError::NotARepository) => refuse("not a git repository"),
        Err(error) => refuse(&error.to_string()),
    }
}
