//! `wit run`: one Code Mode invocation from a shell.

use std::io::ErrorKind;

use tokio_util::sync::CancellationToken;
use wit_worker::registry::LimitId;

use super::args::Run;
use super::exit::Exit;
use super::shutdown::Signals;
use super::{input, output, runtime, setup};
use crate::operations::Refresh;

/// Most bytes of a script that are read at all; the limit on a script is far below and has its own code.
const MAX_SCRIPT_BYTES: u64 = 16 * 1024 * 1024;

pub(super) fn run(arguments: &Run) -> Result<(), Exit> {
    let mut policy = setup::policy_or_object(arguments.shared.policy.as_deref())?;
    // One invocation: a worker kept ready for a second would only be killed.
    policy.set(LimitId::SpareWorkers, 0).map_err(|error| setup::invalid_policy(&error))?;
    let source = source(arguments)?;
    let operations = setup::operations(&arguments.shared, Refresh::First)?;
    runtime::block_on(async {
        let mut signals = Signals::catch()?;
        let codemode = setup::codemode(&arguments.shared, policy, operations)?;
        let cancellation = CancellationToken::new();
        let mut running = std::pin::pin!(codemode.run(&source, cancellation.clone()));
        let outcome = tokio::select! {
            outcome = &mut running => outcome.map_err(Exit::Failure),
            signal = signals.received() => {
                cancellation.cancel();
                let _ = running.await;
                Err(Exit::Signal(signal))
            }
        };
        codemode.shutdown().await;
        let success = outcome?;
        if let Some(console) = &success.console {
            output::stderr_line(&output::inert(console.text.trim_end_matches('\n')));
        }
        for note in &success.notes {
            output::stderr_line(&format!("wit: note: {note}"));
        }
        output::value(success.value.get())
    })
}

/// The script, from wherever the arguments say.
fn source(arguments: &Run) -> Result<String, Exit> {
    let (name, bytes) = match (&arguments.code, &arguments.file) {
        (Some(code), _) => return Ok(code.clone()),
        (None, Some(file)) if file.as_os_str() != "-" => {
            (file.display().to_string(), input::file(file, MAX_SCRIPT_BYTES))
        }
        (None, _) => ("stdin".to_owned(), input::bounded(std::io::stdin().lock(), MAX_SCRIPT_BYTES)),
    };
    let bytes = bytes.map_err(|error| {
        Exit::Usage(match error.kind() {
            ErrorKind::NotFound => format!("{name}: there is no such file"),
            ErrorKind::FileTooLarge => format!("{name} is larger than any script may be"),
            ErrorKind::IsADirectory => format!("{name} is a directory, not a script"),
            kind => format!("{name} cannot be read: {kind}"),
        })
    })?;
    String::from_utf8(bytes).map_err(|_| Exit::Usage(format!("{name} is not UTF-8 text")))
}
