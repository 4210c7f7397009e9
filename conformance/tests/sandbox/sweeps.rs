//! Every system call number and every constrained argument.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Context as _, ensure};
use conformance::probe::sweep::{NUMBERS, REFUSED, SUCCEEDED, X32_BIT};
use libtest_mimic::Trial;
use wit_worker::sandbox::Architecture;
use wit_worker::sandbox::rules::{Caller, RULES, admitted, perturbed};

use super::stage::{Stage, Who, trial, words};

/// Calls of `x86_64` that the kernel exempts from every filter since Linux 6.14 (`seccomp_uprobe_exception` in
/// arch/x86: 335 `uretprobe`, 336 `uprobe`). They do nothing outside a trampoline that only the kernel can map: the
/// first then ends the process with SIGILL, the second is refused.
#[cfg(target_arch = "x86_64")]
const EXEMPT: &[(u32, &[&str])] = &[(335, &["killed 31", "killed 4"]), (336, &["killed 31", "exited 11"])];
#[cfg(not(target_arch = "x86_64"))]
const EXEMPT: &[(u32, &[&str])] = &[];

const VIOLATION: &str = "killed 31";

pub(crate) fn add(trials: &mut Vec<Trial>, stage: &Arc<Stage>, who: Who) {
    trial(trials, stage, format!("sweep/{}/numbers", who.name()), move |stage| numbers(stage, who));
    trial(trials, stage, format!("sweep/{}/arguments", who.name()), move |stage| arguments(stage, who));
}

fn lines(stage: &Stage, who: Who, role: &str) -> anyhow::Result<Vec<String>> {
    let output = stage.probe(who, role).output()?;
    let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
    ensure!(output.status.success(), "{role}: {} {complaint}", words(output.status));
    Ok(String::from_utf8(output.stdout)?.lines().map(str::to_owned).collect())
}

fn numbers(stage: &Stage, who: Who) -> anyhow::Result<()> {
    let architecture = Architecture::native().context("no rules for this machine")?;
    let lines = lines(stage, who, "sweep")?;
    let ends: BTreeMap<u32, &str> = lines
        .iter()
        .map(|line| {
            let (number, end) = line.split_once(' ').context("not `number end`")?;
            Ok((number.parse()?, end))
        })
        .collect::<anyhow::Result<_>>()?;
    for number in (0..NUMBERS).chain(X32_BIT..X32_BIT + NUMBERS).chain([u32::MAX, i32::MAX as u32]) {
        let end = *ends.get(&number).with_context(|| format!("{number} was not tried"))?;
        // The sweep passes zeros; what no rule constrains, or whose constraint zeros meet, comes back.
        let rule = RULES.iter().find(|rule| architecture.number(rule) == number);
        let allowed = rule.is_some_and(|rule| rule.admits(&[0; 6], Caller { process: u32::MAX, thread: u32::MAX }));
        if allowed {
            ensure!(end.starts_with("exited "), "{number} is allowed and ended: {end}");
        } else if let Some((_, ends)) = EXEMPT.iter().find(|(exempt, _)| *exempt == number) {
            ensure!(ends.contains(&end), "{number}, which the kernel exempts, ended: {end}");
        } else {
            ensure!(end == VIOLATION, "{number} has no rule and ended: {end}");
        }
    }
    Ok(())
}

fn arguments(stage: &Stage, who: Who) -> anyhow::Result<()> {
    let lines = lines(stage, who, "arguments")?;
    let caller = Caller { process: 1, thread: 1 };
    for rule in RULES {
        let of = |kind: &str| {
            let prefix = format!("{kind} {} ", rule.name);
            lines.iter().filter(|line| line.starts_with(&prefix)).cloned().collect::<Vec<_>>()
        };
        let passed = of("admitted");
        ensure!(passed.len() == admitted(rule, caller).len(), "{}: {} allowed lists", rule.name, passed.len());
        for line in passed {
            let came_back = [SUCCEEDED, REFUSED].iter().any(|code| line.ends_with(&format!("exited {code}")));
            // Two rules end the process: that is what they are for.
            let ended = (rule.name == "exit_group" && line.ends_with("exited 0"))
                || (rule.name == "tgkill" && line.ends_with("killed 6"));
            ensure!(came_back || ended, "{line}");
        }
        let stopped = of("perturbed");
        // Two perturbations of a process or thread id can meet only when ids are small; every bit counts otherwise.
        ensure!(stopped.len() == perturbed(rule, caller).len(), "{}: {} forbidden lists", rule.name, stopped.len());
        for line in stopped {
            ensure!(line.ends_with(VIOLATION), "{line}");
        }
    }
    Ok(())
}
