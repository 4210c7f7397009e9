//! What the kernel says of a locked-down process, its life and death, and refusals to start.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use anyhow::{Context as _, ensure};
use libtest_mimic::Trial;
use wit_worker::sandbox::exit::{Death, SANDBOX_UNAVAILABLE};
use wit_worker::sandbox::rlimits::RLIMITS;
use wit_worker::sandbox::status::{StatusViolation, verify_status};
use wit_worker::sandbox::{Layer, landlock};

use super::stage::{Stage, Who, trial, words};

pub(crate) fn add(trials: &mut Vec<Trial>, stage: &Arc<Stage>, who: Who) {
    let mut life = |name: &str, run: fn(&Stage, Who) -> anyhow::Result<()>| {
        trial(trials, stage, format!("life/{}/{name}", who.name()), move |stage| run(stage, who));
    };
    life("status", status);
    life("limits", limits);
    life("dies-with-its-parent", dies_with_its_parent);
    life("orphaned-before-the-start", orphaned_before_the_start);
    life("cpu-limit", cpu_limit);
    life("second-thread", second_thread);
    life("refusals", refusals);
    life("kernel-without-landlock", kernel_without_landlock);
    if who == Who::User {
        life("not-dumpable", not_dumpable);
        life("no-filter-without-no-new-privs", no_filter_without_no_new_privs);
    } else {
        life("lost-layers-are-seen", lost_layers_are_seen);
    }
}

/// A probe that locked itself down and waits. Killed and reaped when dropped.
struct Held(Child);

impl Held {
    fn start(stage: &Stage, who: Who, without: &[Layer]) -> anyhow::Result<Self> {
        let mut command = stage.probe(who, "hold");
        command.args(stage.context(without).arguments());
        Self::spawn(command)
    }

    fn spawn(mut command: Command) -> anyhow::Result<Self> {
        let mut held = Self(command.stdin(Stdio::piped()).spawn()?);
        let mut word = [0_u8; 7];
        let heard = held.0.stdout.as_mut().context("no stdout")?.read_exact(&mut word);
        if heard.is_err() || &word != b"locked\n" {
            let status = held.0.wait()?;
            let mut complaint = String::new();
            held.0.stderr.as_mut().context("no stderr")?.read_to_string(&mut complaint)?;
            anyhow::bail!("it did not lock down: {}, {complaint}", words(status));
        }
        Ok(held)
    }

    fn proc(&self, file: &str) -> std::io::Result<String> {
        fs::read_to_string(format!("/proc/{}/{file}", self.0.id()))
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn status(stage: &Stage, who: Who) -> anyhow::Result<()> {
    let held = Held::start(stage, who, &[])?;
    let text = held.proc("status")?;
    verify_status(&text)?;
    if who == Who::Root {
        for line in
            ["Uid:\t65534\t65534\t65534\t65534", "Gid:\t65534\t65534\t65534\t65534", "CapBnd:\t0000000000000000"]
        {
            ensure!(text.lines().any(|found| found == line), "no line {line:?} in {text}");
        }
        ensure!(text.lines().any(|line| line.trim_end() == "Groups:"), "groups are left: {text}");
    }
    if stage.is_root() {
        let open: BTreeSet<_> = fs::read_dir(format!("/proc/{}/fd", held.0.id()))?
            .map(|entry| Ok(entry?.file_name().into_string().unwrap_or_default()))
            .collect::<std::io::Result<_>>()?;
        ensure!(open == ["0", "1", "2"].map(str::to_owned).into(), "open descriptors: {open:?}");
        let environment = held.proc("environ")?;
        ensure!(environment.is_empty(), "an environment: {environment}");
    }
    // A filter less, and the parent's check must say so.
    let open = Held::start(stage, who, &[Layer::Seccomp])?;
    let verdict = verify_status(&open.proc("status")?);
    ensure!(matches!(verdict, Err(StatusViolation::Differs { field: "Seccomp", .. })), "{verdict:?}");
    Ok(())
}

fn lost_layers_are_seen(stage: &Stage, who: Who) -> anyhow::Result<()> {
    use Layer::{Capabilities, Identity, NoNewPrivs};
    for (without, missed) in
        [(vec![Identity, Capabilities], "CapPrm"), (vec![Identity, Capabilities, NoNewPrivs], "NoNewPrivs")]
    {
        let held = Held::start(stage, who, &without)?;
        let verdict = verify_status(&held.proc("status")?);
        ensure!(
            matches!(verdict, Err(StatusViolation::Differs { field, .. }) if field == missed),
            "{missed}: {verdict:?}"
        );
    }
    Ok(())
}

fn limits(stage: &Stage, who: Who) -> anyhow::Result<()> {
    let held = Held::start(stage, who, &[])?;
    let text = held.proc("limits")?;
    let promised = promised_limits()?;
    ensure!(promised.len() == RLIMITS.len(), "the document has {} limits, there are {}", promised.len(), RLIMITS.len());
    for row in RLIMITS {
        // Not the code's own numbers, which would agree with themselves whatever they are.
        let document = promised.get(row.name).with_context(|| format!("the document has no {}", row.name))?;
        ensure!(*document == (row.soft, row.hard), "{} is not as documented: {document:?}", row.name);
        let title = row.title;
        let line = text.lines().find(|line| line.starts_with(title)).with_context(|| format!("no {title}"))?;
        let values: Vec<_> = line[title.len()..].split_ascii_whitespace().take(2).collect();
        let (soft, hard) = if row.name == "RLIMIT_NOFILE" { (0, 0) } else { (row.soft, row.hard) };
        // Whoever started us may have had less.
        for (value, most) in values.iter().zip([soft, hard]) {
            let value: u64 = value.parse().with_context(|| format!("{title}: {value}"))?;
            ensure!(value <= most, "{title} is {value}, at most {most} was promised");
        }
        ensure!(values.len() == 2, "{line}");
    }
    Ok(())
}

/// The numbers of `docs/sandbox.md`: soft and hard limit by name.
fn promised_limits() -> anyhow::Result<BTreeMap<String, (u64, u64)>> {
    let document = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/sandbox.md"))?;
    let rows = document.lines().filter_map(|line| line.strip_prefix("| `RLIMIT_"));
    rows.map(|row| {
        let mut cells = row.split(" | ");
        let mut cell = || cells.next().with_context(|| format!("a short row: {row}"));
        let (name, soft, hard) = (cell()?, cell()?, cell()?);
        Ok((format!("RLIMIT_{}", name.trim_end_matches('`')), (soft.parse()?, hard.parse()?)))
    })
    .collect()
}

/// The parent of the locked-down process ends. With the layer nothing is ever heard of the child again; without it the
/// child still answers, so the silence means something.
fn dies_with_its_parent(stage: &Stage, who: Who) -> anyhow::Result<()> {
    for (without, said) in [(vec![], ""), (vec![Layer::ParentDeath], "alive\n")] {
        let mut command = stage.probe(who, "orphan");
        command.args(stage.context(&without).arguments());
        let mut parent = command.stdin(Stdio::piped()).spawn()?;
        let status = parent.wait_but_keep_stdin()?;
        ensure!(status.success(), "the probe's parent: {}", words(status));
        // The grandchild, if it lives, is blocked reading this pipe. A dead one leaves no reader.
        let _ = parent.stdin.take().context("no stdin")?.write_all(b"x");
        let mut heard = String::new();
        parent.stdout.take().context("no stdout")?.read_to_string(&mut heard)?;
        ensure!(heard == said, "without {without:?}: {heard:?}");
    }
    Ok(())
}

trait WaitButKeepStdin {
    /// `Child::wait` closes stdin first, which the grandchild would notice.
    fn wait_but_keep_stdin(&mut self) -> std::io::Result<std::process::ExitStatus>;
}

impl WaitButKeepStdin for Child {
    fn wait_but_keep_stdin(&mut self) -> std::io::Result<std::process::ExitStatus> {
        let stdin = self.stdin.take();
        let status = self.wait();
        self.stdin = stdin;
        status
    }
}

/// Nobody holds the other end of its input: the parent died before the worker could ask for the signal.
fn orphaned_before_the_start(stage: &Stage, who: Who) -> anyhow::Result<()> {
    let (reader, writer) = std::io::pipe()?;
    drop(writer);
    let output = stage.probe(who, "hold").stdin(reader).output()?;
    ensure!(output.status.code() == Some(SANDBOX_UNAVAILABLE.into()), "{}", words(output.status));
    ensure!(output.stdout.is_empty(), "it said something");
    Ok(())
}

fn cpu_limit(stage: &Stage, who: Who) -> anyhow::Result<()> {
    let status = stage.probe(who, "spin").status()?;
    ensure!(status.signal() == Some(libc::SIGXCPU), "{}", words(status));
    ensure!(status.signal().map(Death::from_signal) == Some(Death::CpuLimit));
    Ok(())
}

fn second_thread(stage: &Stage, who: Who) -> anyhow::Result<()> {
    let output = stage.probe(who, "threaded").output()?;
    ensure!(output.status.code() == Some(SANDBOX_UNAVAILABLE.into()), "{}", words(output.status));
    Ok(())
}

/// A required layer that cannot be had: the process leaves with the agreed status and has said nothing.
fn refusals(stage: &Stage, who: Who) -> anyhow::Result<()> {
    let absent = libc::ENOSYS;
    let refused = libc::EPERM;
    let mut denials = Vec::new();
    for what in ["seccomp", "descriptors", "no_new_privs", "rlimits", "parent_death"] {
        denials.push(format!("{what}={absent}"));
        denials.push(format!("{what}={refused}"));
    }
    // Not an absence: the kernel may well have it.
    denials.push(format!("landlock={refused}"));
    for denial in denials {
        let output = stage.denied_probe(who, &denial, "hold").output()?;
        ensure!(output.status.code() == Some(SANDBOX_UNAVAILABLE.into()), "{denial}: {}", words(output.status));
        ensure!(output.stdout.is_empty(), "{denial}: it said something");
    }
    Ok(())
}

/// The one layer that may be missing, when the kernel has none: everything else holds.
fn kernel_without_landlock(stage: &Stage, who: Who) -> anyhow::Result<()> {
    let denial = format!("landlock={}", libc::ENOSYS);
    let held = Held::spawn(stage.denied_probe(who, &denial, "hold"))?;
    verify_status(&held.proc("status")?)?;
    ensure!(landlock::offered_version().is_ok(), "the question itself is refused here");
    Ok(())
}

/// Another process of the same user tries to look into the worker. Root is left out: it may look into anything.
fn not_dumpable(stage: &Stage, who: Who) -> anyhow::Result<()> {
    for (without, said) in
        [(vec![], format!("refused {}\n", libc::EACCES)), (vec![Layer::NotDumpable], "succeeded\n".to_owned())]
    {
        let held = Held::start(stage, who, &without)?;
        let output = stage.probe(who, "peek").arg(held.0.id().to_string()).output()?;
        let heard = String::from_utf8_lossy(&output.stdout);
        ensure!(heard == said, "without {without:?}: {heard:?}");
    }
    Ok(())
}

/// An unprivileged process that lost this layer has no filter either, so it never says that it is ready.
fn no_filter_without_no_new_privs(stage: &Stage, who: Who) -> anyhow::Result<()> {
    let mut command = stage.probe(who, "hold");
    command.args(stage.context(&[Layer::NoNewPrivs]).arguments());
    let output = command.output()?;
    ensure!(output.status.code() == Some(SANDBOX_UNAVAILABLE.into()), "{}", words(output.status));
    Ok(())
}
