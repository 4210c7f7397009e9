//! Each attack under the full lockdown, and each layer by itself against each attack it claims to stop.

use std::collections::BTreeSet;
use std::sync::Arc;

use anyhow::ensure;
use conformance::parallel::{side_by_side, twice_the_processors};
use conformance::probe::attacks::{self, Arm, Attack};
use conformance::probe::{End, Expect, Outcome};
use libtest_mimic::Trial;
use wit_worker::sandbox::{LAYERS, Layer, landlock};

use super::stage::{Stage, Who, trial};

pub(crate) fn add(trials: &mut Vec<Trial>, stage: &Arc<Stage>, who: Who) -> anyhow::Result<()> {
    for attack in attacks::all() {
        trial(trials, stage, format!("full/{}/{}", who.name(), attack.name), move |stage| {
            let end = stage.attack(who, attack.name, &[])?;
            ensure!(attack.full.admits(end), "{}: {end:?}, expected {:?}", attack.what, attack.full);
            Ok(())
        });
    }

    let mut proved = Vec::new();
    let offered = landlock::offered_version().ok().flatten().unwrap_or(0);
    let working = working(stage, who)?;
    for (attack, arm) in attacks::all().flat_map(|attack| attack.arms.iter().map(move |arm| (attack, arm))) {
        let is_offered = arm.layer != Layer::Landlock || offered >= arm.landlock.max(1);
        if !is_offered || !working.contains(attack.name) {
            continue;
        }
        proved.push(arm.layer);
        let name = format!("layer/{}/{}/{}", who.name(), arm.layer.name(), attack.name);
        trial(trials, stage, name, move |stage| prove(stage, who, attack, arm));
    }
    trial(trials, stage, format!("layer/{}/every-layer-is-proved", who.name()), move |stage| {
        for layer in LAYERS.iter().map(|row| row.layer) {
            ensure!(
                proved.contains(&layer) || is_proved_elsewhere(stage, who, layer),
                "nothing proves {}",
                layer.name()
            );
        }
        Ok(())
    });
    Ok(())
}

/// The attacks that work when no layer is on. One that fails on this machine even then (a kernel without io_uring, a user who is not root)
/// tells nothing about a layer. The names of trials depend on this, so it is found out before there are any.
fn working(stage: &Stage, who: Who) -> anyhow::Result<BTreeSet<&'static str>> {
    let none: Vec<_> = LAYERS.iter().map(|row| row.layer).collect();
    let claimed: Vec<&Attack> = attacks::all().filter(|attack| !attack.arms.is_empty()).collect();
    let tried = side_by_side(twice_the_processors(), &claimed, |attack| {
        let end = stage.attack(who, attack.name, &none);
        Ok(matches!(end, Ok(End::Said(Outcome::Succeeded))).then_some(attack.name))
    })?;
    Ok(tried.into_iter().flatten().collect())
}

/// With the layer on and those off that would hide it: refused. With the layer off as well: the attack works.
fn prove(stage: &Stage, who: Who, attack: &Attack, arm: &Arm) -> anyhow::Result<()> {
    let layer = arm.layer.name();
    let guarded = stage.attack(who, attack.name, arm.besides)?;
    ensure!(arm.refusal.admits(guarded), "{layer} by itself: {guarded:?}, expected {:?}", arm.refusal);

    let off: Vec<_> = arm.besides.iter().copied().chain([arm.layer]).collect();
    let open = stage.attack(who, attack.name, &off)?;
    ensure!(Expect::Success.admits(open), "without {layer} the attack should work, or proves nothing: {open:?}");
    Ok(())
}

/// Layers that `lives` proves, and layers this user's worker does not have or cannot be shown to have.
fn is_proved_elsewhere(stage: &Stage, who: Who, layer: Layer) -> bool {
    match layer {
        Layer::ParentDeath | Layer::NotDumpable => true,
        // Nothing to drop.
        Layer::Identity | Layer::Capabilities => who == Who::User,
        // Only root can make the set-user-id program; `lives` shows that the filter cannot be had without it.
        Layer::NoNewPrivs => !stage.is_root(),
        Layer::Landlock => landlock::offered_version().is_ok_and(|version| version.is_none()),
        Layer::Descriptors | Layer::Rlimits | Layer::Seccomp => false,
    }
}
