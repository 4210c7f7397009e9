//! `flags.toml`: each word a case may use to say what kind of attack it is, defined once.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;

/// What a flag means.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flag {
    /// What it attacks.
    pub attacks: String,
    /// What an attacker gains when the defence is missing.
    pub effect: String,
    /// Where to read more: specification clauses, advisories, chapters of this repository's documents.
    pub links: Vec<String>,
}

/// Reads the file.
pub(super) fn load(path: &Path) -> Result<BTreeMap<String, Flag>, String> {
    let text = fs::read_to_string(path).map_err(|error| format!("flags.toml: {error}"))?;
    let flags: BTreeMap<String, Flag> =
        toml::from_str(&text).map_err(|error| format!("flags.toml: {}", error.message()))?;
    for (name, flag) in &flags {
        if flag.attacks.trim().is_empty() || flag.effect.trim().is_empty() {
            return Err(format!("flags.toml: flag {name} must say what it attacks and to what effect"));
        }
    }
    Ok(flags)
}
