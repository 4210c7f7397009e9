//! The table of attacks. One file a family.

use wit_worker::sandbox::Layer;

use super::{Context, Expect, Outcome};

mod files;
mod memory;
mod network;
mod privileges;
mod processes;
mod truths;

/// One thing that is tried after the lockdown.
pub struct Attack {
    /// Its name on the command line and in the test's list.
    pub name: &'static str,
    /// What a compromised engine would gain by it, or what is checked.
    pub what: &'static str,
    /// How it must end under the full lockdown.
    pub full: Expect,
    /// Which layers stop it by themselves.
    pub arms: &'static [Arm],
    /// Tries it.
    pub run: fn(&Context) -> Outcome,
}

/// Shows that one layer stops an attack by itself, and that without it the attack works.
pub struct Arm {
    /// The layer under test.
    pub layer: Layer,
    /// Layers that would hide it, off in both runs.
    pub besides: &'static [Layer],
    /// How the attack ends with the layer on and those off.
    pub refusal: Expect,
    /// The least Landlock interface that can stop it; 0 where that does not matter.
    pub landlock: u32,
}

const fn arm(layer: Layer, besides: &'static [Layer], refusal: Expect) -> Arm {
    Arm { layer, besides, refusal, landlock: 0 }
}

const fn landlock(least: u32, besides: &'static [Layer], refusal: Expect) -> Arm {
    Arm { layer: Layer::Landlock, besides, refusal, landlock: least }
}

/// The tables, each with the name of its file here.
#[must_use]
pub const fn tables() -> [(&'static str, &'static [Attack]); 6] {
    [
        ("files", files::ATTACKS),
        ("network", network::ATTACKS),
        ("processes", processes::ATTACKS),
        ("memory", memory::ATTACKS),
        ("privileges", privileges::ATTACKS),
        ("truths", truths::ATTACKS),
    ]
}

/// Every attack.
pub fn all() -> impl Iterator<Item = &'static Attack> {
    tables().into_iter().flat_map(|(_, attacks)| attacks)
}

/// The attack of a name.
#[must_use]
pub fn named(name: &str) -> Option<&'static Attack> {
    all().find(|attack| attack.name == name)
}
