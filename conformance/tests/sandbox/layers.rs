//! Each attack under the full lockdown, and each layer by itself against each attack it claims to stop.

use std::sync::Arc;

use anyhow::ensure;
use conformance::probe::attacks::{self, Arm, Attack};
use conformance::probe::{End, Expect, Outcome};
use libtest_mimic::Trial;
use wit_worker::sandbox::{LAYERS, Layer, landlock};

use super::stage::{Stage, Who, trial};

pub(crate) fn add(trials: &mut Vec<Trial>, stage: &Arc<Stage>, who: Who) {
    for attack in attacks::all() {
        trial(trials, stage, format!("full/{}/{}", who.name(), attack.name), move |stage| {
            let end = stage.attack(who, attack.name, &[])?;
            ensure!(attack.full.admits(end), "{}: {end:?}, expected {:?}", attack.what, attack.full);
            Ok(())
        });
    }

    let mut proved = Vec::new();
    for (attack, arm) in attacks::all().flat_map(|attack| attack.arms.iter().map(move |arm| (attack, arm))) {
        if !is_conclusive(stage, who, attack, arm) {
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
}

/// An attack that fails on this machine even with no layer at all (a kernel without io_uring, a user who is not root)
/// tells nothing about a layer.
fn is_conclusive(stage: &Stage, who: Who, attack: &Attack, arm: &Arm) -> bool {
    let offered = landlock::offered_version().ok().flatten().unwrap_or(0);
    if arm.layer == Layer::Landlock && offered < arm.landlock.max(1) {
        return false;
    }
    let none: Vec<_> = LAYERS.iter().map(|row| row.layer).collect();
    matches!(stage.attack(who, attack.name, &none), Ok(End::Said(Outcome::Succeeded)))
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
