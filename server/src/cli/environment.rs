//! Every environment variable wit reads, declared once.

use std::fmt::Write as _;
use std::path::PathBuf;

use crate::repository::Secret;

/// One variable.
struct Variable {
    name: &'static str,
    meaning: &'static str,
}

const GITHUB_TOKEN: Variable = Variable { name: "GITHUB_TOKEN", meaning: "token for the git server" };
const GH_TOKEN: Variable = Variable { name: "GH_TOKEN", meaning: "the same, when GITHUB_TOKEN is not set" };
const WIT_APP_ID: Variable = Variable { name: "WIT_APP_ID", meaning: "as --app-id, which goes before" };
const WIT_APP_INSTALLATION_ID: Variable =
    Variable { name: "WIT_APP_INSTALLATION_ID", meaning: "as --app-installation-id, which goes before" };
const WIT_APP_PRIVATE_KEY_PATH: Variable =
    Variable { name: "WIT_APP_PRIVATE_KEY_PATH", meaning: "as --app-private-key-path, which goes before" };
const WIT_CACHE_DIR: Variable = Variable { name: "WIT_CACHE_DIR", meaning: "as --cache-dir, which goes before" };
const WIT_LOG: Variable =
    Variable { name: "WIT_LOG", meaning: "log level on stderr: off, error, warn (default), info, debug, trace" };
// Not wit's own: where the system says caches belong.
const XDG_CACHE_HOME: Variable = Variable { name: "XDG_CACHE_HOME", meaning: "parent of the default cache directory" };
const HOME: Variable = Variable { name: "HOME", meaning: "its .cache is the parent when XDG_CACHE_HOME is not set" };

/// All of them, as `--help` lists them.
const VARIABLES: [&Variable; 9] = [
    &GITHUB_TOKEN,
    &GH_TOKEN,
    &WIT_APP_ID,
    &WIT_APP_INSTALLATION_ID,
    &WIT_APP_PRIVATE_KEY_PATH,
    &WIT_CACHE_DIR,
    &WIT_LOG,
    &XDG_CACHE_HOME,
    &HOME,
];

/// The variables for `--help`.
pub(super) fn help() -> String {
    VARIABLES.iter().fold(String::from("Environment:"), |mut text, variable| {
        let _ = write!(text, "\n  {:<24}  {}", variable.name, variable.meaning);
        text
    })
}

/// The token for the git server. The only place that reads it; from here on it is a [`Secret`].
pub(super) fn token() -> Option<Secret> {
    [GITHUB_TOKEN, GH_TOKEN].iter().find_map(text).and_then(|text| Secret::new(&text))
}

/// The variables that may hold the token, and whether each does. Never what it is (I7).
pub(super) fn tokens() -> Vec<(&'static str, bool)> {
    [GITHUB_TOKEN, GH_TOKEN].iter().map(|variable| (variable.name, text(variable).is_some())).collect()
}

/// The GitHub App's id.
pub(super) fn app_id() -> Option<String> {
    text(&WIT_APP_ID)
}

/// The app's installation.
pub(super) fn app_installation_id() -> Option<String> {
    text(&WIT_APP_INSTALLATION_ID)
}

/// Where the app's private key is.
pub(super) fn app_private_key_path() -> Option<PathBuf> {
    path(&WIT_APP_PRIVATE_KEY_PATH)
}

/// The level of the log.
pub(super) fn log_level() -> Option<String> {
    text(&WIT_LOG)
}

/// The cache directory when none is given: the operator's, or the system's.
pub(super) fn cache_dir() -> Option<PathBuf> {
    let absolute = |path: &PathBuf| path.is_absolute();
    let system = || {
        let parent = path(&XDG_CACHE_HOME).filter(absolute);
        parent.or_else(|| path(&HOME).filter(absolute).map(|home| home.join(".cache"))).map(|parent| parent.join("wit"))
    };
    path(&WIT_CACHE_DIR).or_else(system)
}

fn text(variable: &Variable) -> Option<String> {
    std::env::var(variable.name).ok().filter(|value| !value.trim().is_empty())
}

fn path(variable: &Variable) -> Option<PathBuf> {
    std::env::var_os(variable.name).filter(|value| !value.is_empty()).map(PathBuf::from)
}
