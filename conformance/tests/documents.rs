//! What the documents promise is held up by something (`docs/requirements.toml`), and what a release required stays what
//! it was (`profiles/`).

use anyhow::{Result, ensure};
use conformance::catalogue::Catalogue;
use conformance::profile::{self, Retired};
use conformance::requirements::{self, Requirements};

#[test]
fn every_promise_of_the_documents_is_covered() -> Result<()> {
    let faults = requirements::faults(&Requirements::load()?, &Catalogue::load()?)?;
    ensure!(faults.is_empty(), "{} fault(s):\n{}", faults.len(), faults.join("\n"));
    Ok(())
}

#[test]
fn every_profile_still_holds() -> Result<()> {
    let (catalogue, retired) = (Catalogue::load()?, Retired::load()?);
    let profiles = profile::all()?;
    ensure!(!profiles.is_empty(), "no release is frozen");
    let mut faults = retired.faults(&catalogue);
    for profile in profiles {
        faults.extend(
            profile.compare(&catalogue, &retired).0.into_iter().map(|fault| format!("{}: {fault}", profile.name)),
        );
    }
    ensure!(faults.is_empty(), "{}", faults.join("\n"));
    Ok(())
}
