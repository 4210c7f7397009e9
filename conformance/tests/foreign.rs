//! Foreign mode over the real wit: the adapter shipped for it passes, and what an adapter says in vain is found.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use conformance::binary;
use conformance::corpus::{self, Corpus};
use conformance::foreign::{Adapter, Finding, Foreign, Verdict, survey};
use conformance::process::{self, Process};
use conformance::run::Kit;

fn adapter(name: &str) -> Result<String> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("adapters").join(name);
    std::fs::read_to_string(&path).with_context(|| path.display().to_string())
}

fn all_cases() -> Result<Corpus> {
    Ok(corpus::load(&corpus::directory())?)
}

/// The command line of the wit under test.
fn command() -> Result<String> {
    Ok(format!("'{}' mcp --mode code", binary::locate()?.display()))
}

/// Holds wit to some cases through an adapter.
fn survey_wit(text: &str, words: &[&str]) -> Result<Finding> {
    let corpus = all_cases()?;
    let adapter = Arc::new(Adapter::parse(text, &corpus).map_err(anyhow::Error::msg)?);
    let kit = Kit::foreign(Foreign { command: command()?, adapter: Arc::clone(&adapter) })?;
    let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    survey(&kit, &adapter, &corpus, &words, &|_| {})
}

fn verdicts(finding: &Finding, verdict: Verdict) -> Vec<String> {
    finding.rows.iter().filter(|row| row.verdict == verdict).map(conformance::foreign::Row::shown).collect()
}

/// Families that between them have policies, upstreams, local repositories, raw arguments, refusals to start, clients
/// that cancel and kill, and results of every kind.
const FAMILIES: &[&str] = &["final-value", "operations", "process-lifecycle", "tool-input"];

#[test]
fn wit_passes_through_its_own_adapter() -> Result<()> {
    let finding = survey_wit(&adapter("wit.toml")?, FAMILIES)?;
    let failed = verdicts(&finding, Verdict::Failed);
    ensure!(failed.is_empty(), "{}", failed.join("\n"));
    ensure!(finding.stale.is_empty(), "{:?}", finding.stale);
    let passed = verdicts(&finding, Verdict::Passed).len();
    ensure!(passed >= 80, "only {passed} were run");
    // Frames of the same families cannot be sent to a server.
    ensure!(!verdicts(&finding, Verdict::Unsupported).is_empty());
    Ok(())
}

/// Read as any other server's, by the adapter's own words, it passes too.
#[test]
fn wit_passes_when_read_as_a_foreign_server() -> Result<()> {
    let loose = adapter("wit.toml")?.replace("exact = true", "exact = false");
    let finding = survey_wit(&loose, &["final-value", "error-forging"])?;
    let failed = verdicts(&finding, Verdict::Failed);
    ensure!(failed.is_empty(), "{}", failed.join("\n"));
    Ok(())
}

#[test]
fn a_server_that_is_read_wrongly_fails() -> Result<()> {
    let wrong = adapter("wit.toml")?
        .replace("exact = true", "exact = false")
        .replace("pointer = \"/value\"", "pointer = \"/usage\"");
    let finding = survey_wit(&wrong, &["final-null"])?;
    ensure!(verdicts(&finding, Verdict::Failed).len() == 1, "usage was taken for the value");
    let failing =
        survey_wit(&adapter("wit.toml")?.replace("argument = \"code\"", "argument = \"script\""), &["final-null"])?;
    ensure!(verdicts(&failing, Verdict::Failed).len() == 1, "an argument the tool does not have was accepted");
    Ok(())
}

#[test]
fn a_skip_is_stale_when_what_it_covers_passes() -> Result<()> {
    let skipping = |what: &str| Ok::<_, anyhow::Error>(format!("{}\n[[skip]]\n{what}\n", adapter("wit.toml")?));
    let finding = survey_wit(&skipping("case = \"final-null\"\nreason = \"as an example of one\"")?, &["final-null"])?;
    ensure!(
        finding.stale.len() == 1 && finding.stale.iter().all(|entry| entry.contains("final-null")),
        "{:?}",
        finding.stale
    );
    let unrun = "case = \"final-null\"\nreason = \"as an example of one\"\nrun = false";
    let finding = survey_wit(&skipping(unrun)?, &["final-null"])?;
    ensure!(finding.stale.is_empty(), "what is not run shows nothing: {:?}", finding.stale);
    ensure!(verdicts(&finding, Verdict::Skipped).len() == 1);
    Ok(())
}

#[test]
fn a_process_that_outlives_its_server_is_ended() -> Result<()> {
    let corpus = all_cases()?;
    let text = adapter("wit.toml")?.replace("exact = true", "exact = false");
    let adapter = Arc::new(Adapter::parse(&text, &corpus).map_err(anyhow::Error::msg)?);
    let directory = tempfile::tempdir()?;
    let file = directory.path().join("pid");
    // The shell leaves a process behind in its group and becomes the server.
    let leaves = format!("sleep 600 & echo $! > \"{}\"; exec \"$0\" \"$@\"", file.display());
    let command = format!("sh -c '{leaves}' {}", command()?);
    let kit = Kit::foreign(Foreign { command, adapter: Arc::clone(&adapter) })?;
    survey(&kit, &adapter, &corpus, &["final-null".to_owned()], &|_| {})?;
    let left: i32 = std::fs::read_to_string(&file)?.trim().parse()?;
    let gone = || Process::find(left).is_none_or(Process::is_zombie).then_some(());
    ensure!(process::wait_for(Duration::from_secs(10), gone).is_some(), "the process is still there");
    Ok(())
}

#[test]
fn an_adapter_may_only_name_what_there_is() -> Result<()> {
    let corpus = all_cases()?;
    let good = adapter("wit.toml")?;
    ensure!(Adapter::parse(&good, &corpus).is_ok());
    ensure!(Adapter::parse(&adapter("utcp-code-mode.toml")?, &corpus).is_ok());
    let skip = |what: &str| format!("{good}\n[[skip]]\n{what}\n");
    let code = |what: &str| format!("{good}\n[[code]]\n{what}\n");
    for (bad, says) in [
        (skip("family = \"no-such\"\nreason = \"long enough to be one\""), "there is no family no-such"),
        (skip("case = \"no-such\"\nreason = \"long enough to be one\""), "there is no case no-such"),
        (skip("flag = \"no-such\"\nreason = \"long enough to be one\""), "there is no flag no-such"),
        (skip("family = \"memory\"\nreason = \"why\""), "without a reason"),
        (skip("family = \"memory\"\ncase = \"final-null\"\nreason = \"long enough to be one\""), "name one of"),
        (code("pattern = \"x\"\ncode = \"no_such\""), "no_such is not a code"),
        (code("pattern = \"x\"\ncode = \"code_rejected\"\nreason = \"crashed\""), "not a reason of code_rejected"),
        (code("pattern = \"(\"\ncode = \"any\""), "not a regular expression"),
        (good.replace("exact = true", "exakt = true"), "exakt"),
        (good.replace("is_error = true, ", ""), "say is_error"),
        (good.replace("argument = \"code\"", "argument = \"code\", script = \"no place\""), "{source}"),
        (format!("{good}\n[lacks]\nhost = \"no\"\n"), "without a reason"),
        (format!("{good}\n[lacks]\nwings = \"a thing nobody needs\"\n"), "wings"),
    ] {
        let error = Adapter::parse(&bad, &corpus).err().unwrap_or_default();
        ensure!(error.contains(says), "{says}: {error}");
    }
    Ok(())
}
