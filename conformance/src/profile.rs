//! Profiles: the required set of a release, frozen.
//!
//! `profiles/NAME.toml` lists every id of a release with its family, its meaning (the kind of outcome it must have) and
//! the digest of its text. From then on an id may not vanish and may not come to mean something else, or a report of a
//! later corpus could not be set beside one of the release. A text may be revised: it then has another digest, which is
//! shown and is no fault. What must go is listed in `profiles/retired.toml` with a reason, and its id is never used
//! again.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, Result, bail};
use serde::Deserialize;

use crate::binary::workspace;
use crate::catalogue::Catalogue;

/// The file of what was retired, which is no profile.
const RETIRED: &str = "retired";
/// The least a reason must say, in bytes.
const REASON_BYTES: usize = 20;

/// A frozen set.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// The release.
    pub name: String,
    /// What it requires, by id.
    pub items: BTreeMap<String, Frozen>,
}

/// What an id stood for when it was frozen.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Frozen {
    /// Its family.
    pub family: String,
    /// The kind of outcome it must have.
    pub must: String,
    /// SHA-256 of its text, the first 16 digits.
    pub digest: String,
}

/// What was retired, by id, with the reason.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Retired {
    /// Reasons by id.
    pub retired: BTreeMap<String, String>,
}

/// How many digits of a digest are kept: enough to tell versions of one text apart.
const DIGITS: usize = 16;

/// Where a profile lies.
///
/// # Errors
/// When the name is not one: letters, digits, dots and hyphens.
pub fn path(name: &str) -> Result<PathBuf> {
    let plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-".contains(&byte));
    if name.is_empty() || name == RETIRED || !plain || name.starts_with('.') {
        bail!("{name} is no name for a profile");
    }
    Ok(directory().join(format!("{name}.toml")))
}

fn directory() -> PathBuf {
    workspace().join("profiles")
}

/// Every profile, by name.
///
/// # Errors
/// When one cannot be read.
pub fn all() -> Result<Vec<Profile>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(directory())? {
        let path = entry?.path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if path.extension().is_some_and(|extension| extension == "toml") && stem != RETIRED {
            names.push(stem);
        }
    }
    names.sort();
    names.iter().map(|name| Profile::load(name)).collect()
}

impl Profile {
    /// Reads a profile.
    ///
    /// # Errors
    /// When there is none of this name, or it is not as it must be.
    pub fn load(name: &str) -> Result<Self> {
        let text = fs::read_to_string(path(name)?).with_context(|| format!("there is no profile {name}"))?;
        let profile: Self = toml::from_str(&text).with_context(|| format!("profile {name}"))?;
        if profile.name != name {
            bail!("profiles/{name}.toml calls itself {}", profile.name);
        }
        Ok(profile)
    }

    /// Everything there is, as it stands.
    #[must_use]
    pub fn freeze(name: &str, catalogue: &Catalogue) -> Self {
        let items = catalogue.items.iter().map(|item| {
            let digest = item.digest.chars().take(DIGITS).collect();
            (item.id.clone(), Frozen { family: item.family.clone(), must: item.meaning.clone(), digest })
        });
        Self { name: name.to_owned(), items: items.collect() }
    }

    /// The file, one line an item, so that a difference shows what changed.
    #[must_use]
    pub fn written(&self) -> String {
        let quoted = |text: &str| toml::Value::from(text).to_string();
        let mut out = format!(
            "# The required set of release {}, written by `cargo run -p conformance -- profile freeze`. Never edited:\n\
             # what must change stands in retired.toml, with its reason.\nname = {}\n\n[items]\n",
            self.name,
            quoted(&self.name)
        );
        for (id, frozen) in &self.items {
            out.push_str(&format!(
                "{} = {{ family = {}, must = {}, digest = {} }}\n",
                quoted(id),
                quoted(&frozen.family),
                quoted(&frozen.must),
                quoted(&frozen.digest)
            ));
        }
        out
    }

    /// Whether the release requires an id.
    #[must_use]
    pub fn requires(&self, id: &str) -> bool {
        self.items.contains_key(id)
    }

    /// What is broken, and which ids were revised.
    #[must_use]
    pub fn compare(&self, catalogue: &Catalogue, retired: &Retired) -> (Vec<String>, Vec<String>) {
        let now = Self::freeze(&self.name, catalogue).items;
        let (mut faults, mut revised) = (Vec::new(), Vec::new());
        for (id, then) in self.items.iter().filter(|(id, _)| !retired.retired.contains_key(*id)) {
            match now.get(id) {
                None => faults.push(format!("{id} is gone; profiles/retired.toml says nothing of it")),
                Some(found) => {
                    for (what, then, found) in
                        [("family", &then.family, &found.family), ("outcome", &then.must, &found.must)]
                    {
                        if then != found {
                            faults.push(format!(
                                "{id} has another {what}: {found}, and was released with {then}; give the new meaning a new id"
                            ));
                        }
                    }
                    if then.digest != found.digest {
                        revised.push(id.clone());
                    }
                }
            }
        }
        (faults, revised)
    }
}

impl Retired {
    /// Reads the file.
    ///
    /// # Errors
    /// When it is not there or not as it must be.
    pub fn load() -> Result<Self> {
        Ok(toml::from_str(&fs::read_to_string(directory().join(format!("{RETIRED}.toml")))?)?)
    }

    /// Ids that are retired and used again, and reasons that say nothing.
    #[must_use]
    pub fn faults(&self, catalogue: &Catalogue) -> Vec<String> {
        let mut faults = Vec::new();
        for (id, reason) in &self.retired {
            if catalogue.get(id).is_some() {
                faults.push(format!("{id} is retired, and used again; an id is never reused"));
            }
            if reason.trim().len() < REASON_BYTES {
                faults.push(format!("{id} is retired without a reason"));
            }
        }
        faults
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn catalogue() -> Catalogue {
        Catalogue::load().unwrap_or_else(|error| panic!("{error}"))
    }

    fn retired(id: &str, reason: &str) -> Retired {
        Retired { retired: [(id.to_owned(), reason.to_owned())].into() }
    }

    #[test]
    fn what_is_written_is_read_back() -> Result<()> {
        let catalogue = catalogue();
        let frozen = Profile::freeze("9.9", &catalogue);
        let read: Profile = toml::from_str(&frozen.written())?;
        assert_eq!(read.items, frozen.items);
        assert_eq!(read.compare(&catalogue, &Retired::default()), (Vec::new(), Vec::new()));
        assert!(read.requires("final-cycle") && !read.requires("no-such-case"));
        Ok(())
    }

    #[test]
    fn an_id_may_not_vanish_or_change_its_meaning() {
        let mut now = catalogue();
        let frozen = Profile::freeze("9.9", &now);
        now.items.retain(|item| item.id != "final-cycle");
        let (faults, _) = frozen.compare(&now, &Retired::default());
        assert!(matches!(&faults[..], [fault] if fault.contains("final-cycle is gone")), "{faults:?}");
        let reason = retired("final-cycle", "The same as another case, which stays.");
        assert_eq!(frozen.compare(&now, &reason), (Vec::new(), Vec::new()));

        for item in now.items.iter_mut().filter(|item| item.id == "final-getter-toctou-size") {
            "code_rejected (not_json)".clone_into(&mut item.meaning);
            "somewhere-else".clone_into(&mut item.family);
            "0".repeat(64).clone_into(&mut item.digest);
        }
        let (faults, revised) = frozen.compare(&now, &reason);
        assert_eq!(faults.len(), 2, "{faults:?}");
        assert_eq!(revised, ["final-getter-toctou-size"]);
    }

    #[test]
    fn a_retired_id_has_a_reason_and_no_successor() {
        let catalogue = catalogue();
        assert!(retired("long-gone", "Its feature was taken out of the server.").faults(&catalogue).is_empty());
        assert_eq!(retired("long-gone", "gone").faults(&catalogue).len(), 1);
        assert_eq!(retired("final-cycle", "Its feature was taken out of the server.").faults(&catalogue).len(), 1);
    }

    #[test]
    fn names_cannot_lead_elsewhere() {
        assert!(path("0.1").is_ok());
        for name in ["", "retired", "../x", "a/b", ".hidden"] {
            assert!(path(name).is_err(), "{name}");
        }
    }
}
