//! `profile check` and `profile freeze NAME`.

use anyhow::{Result, bail};
use clap::{Args, Subcommand};
use conformance::catalogue::Catalogue;
use conformance::profile::{self, Retired};

use super::print;

/// What to do with profiles.
#[derive(Debug, Args)]
pub(crate) struct Profile {
    #[command(subcommand)]
    act: Act,
}

#[derive(Debug, Subcommand)]
enum Act {
    /// Hold the corpus to every frozen profile
    Check,
    /// Freeze the corpus as it stands under a new name
    Freeze {
        /// The release, such as 0.1
        name: String,
    },
}

impl Profile {
    pub(crate) fn run(&self) -> Result<bool> {
        let catalogue = Catalogue::load()?;
        match &self.act {
            Act::Check => {
                let retired = Retired::load()?;
                let mut holds = true;
                for profile in profile::all()? {
                    let (faults, revised) = profile.compare(&catalogue, &retired);
                    print(&format!(
                        "{}: {} required, {} revised since, {} broken\n",
                        profile.name,
                        profile.items.len(),
                        revised.len(),
                        faults.len()
                    ))?;
                    for id in &revised {
                        print(&format!("  revised  {id}\n"))?;
                    }
                    for fault in &faults {
                        print(&format!("  broken   {fault}\n"))?;
                    }
                    holds &= faults.is_empty();
                }
                for fault in retired.faults(&catalogue) {
                    print(&format!("retired.toml: {fault}\n"))?;
                    holds = false;
                }
                Ok(holds)
            }
            Act::Freeze { name } => {
                let path = profile::path(name)?;
                if path.exists() {
                    bail!("{} is frozen already; a release is frozen once", path.display());
                }
                let profile = profile::Profile::freeze(name, &catalogue);
                std::fs::write(&path, profile.written())?;
                print(&format!("{}: {} required\n", path.display(), profile.items.len()))?;
                Ok(true)
            }
        }
    }
}
