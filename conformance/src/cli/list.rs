//! `list`: one line an item, and how many there are.

use anyhow::Result;
use clap::Args;
use conformance::catalogue::{Catalogue, Filter, Place};

use super::{chosen, print};

/// What to list.
#[derive(Debug, Args)]
pub(crate) struct List {
    #[command(flatten)]
    filter: Filter,
    /// Only what this profile requires
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// Ids only, for other programs
    #[arg(long)]
    only_ids: bool,
}

impl List {
    pub(crate) fn run(&self) -> Result<bool> {
        let catalogue = Catalogue::load()?;
        let items = chosen(&catalogue, &self.filter, self.profile.as_deref())?;
        for item in &items {
            print(&if self.only_ids {
                format!("{}\n", item.id)
            } else {
                format!("{:<44} {:<27} {:<9} {}\n", item.id, item.family, item.place.name(), item.title)
            })?;
        }
        if !self.only_ids {
            let count = |place: Place| items.iter().filter(|item| item.place == place).count();
            let places = Place::ALL.into_iter().filter(|place| count(*place) > 0);
            let places: Vec<String> = places.map(|place| format!("{} {}", count(place), place.name())).collect();
            eprintln!("{} in all: {}", items.len(), places.join(", "));
        }
        Ok(true)
    }
}
