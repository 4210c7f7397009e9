//! The commands, one file each, and the one place of the kit that writes to stdout.

pub(crate) mod arguments;
pub(crate) mod list;
pub(crate) mod profile;
pub(crate) mod report;
pub(crate) mod run;

use std::io::Write as _;

use anyhow::{Result, bail};
use conformance::catalogue::{Catalogue, Filter, Item};
use conformance::profile::Profile;

/// Writes to stdout. A reader that has gone is not a failure of ours.
pub(crate) fn print(text: &str) -> Result<()> {
    match std::io::stdout().write_all(text.as_bytes()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => Ok(other?),
    }
}

/// The items that a filter and a profile choose; none is an error, because a gate that runs nothing passes.
pub(crate) fn chosen<'a>(catalogue: &'a Catalogue, filter: &Filter, profile: Option<&str>) -> Result<Vec<&'a Item>> {
    let profile = profile.map(Profile::load).transpose()?;
    let required = |item: &Item| profile.as_ref().is_none_or(|profile| profile.requires(&item.id));
    for id in filter.ids.iter().filter(|id| !id.contains(['*', '?'])) {
        if catalogue.get(id).is_none() {
            bail!("there is no case {id}; `conformance list '*{id}*'` finds names that contain it");
        }
    }
    let items: Vec<&Item> = catalogue.items.iter().filter(|item| filter.admits(item) && required(item)).collect();
    if items.is_empty() {
        bail!("nothing is chosen");
    }
    Ok(items)
}

/// The choice in words, for the head of a report.
pub(crate) fn selection(catalogue: &Catalogue, filter: &Filter, profile: Option<&str>, chosen: usize) -> String {
    let mut words = Vec::new();
    words.extend(profile.map(|name| format!("profile {name}")));
    words.extend((!filter.ids.is_empty()).then(|| format!("id {}", filter.ids.join(" or "))));
    for (name, value) in [
        ("family", &filter.family),
        ("flag", &filter.flag),
        ("invariant", &filter.invariant),
        ("code", &filter.code),
        ("place", &filter.place),
    ] {
        words.extend(value.as_ref().map(|value| format!("{name} {value}")));
    }
    let total = catalogue.items.len();
    if words.is_empty() { format!("all {total}") } else { format!("{chosen} of {total}: {}", words.join(", ")) }
}
