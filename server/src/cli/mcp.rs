//! `wit mcp`: a server until its client goes.

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use wit_worker::registry::LimitId;

use super::args::{Mcp, Mode, Transport};
use super::exit::Exit;
use super::shutdown::Signals;
use super::{runtime, setup};
use crate::mcp::{Server, ServerOptions, serve_stdio};
use crate::operations::Refresh;

pub(super) fn run(arguments: &Mcp) -> Result<(), Exit> {
    let policy = setup::policy(arguments.shared.policy.as_deref())?;
    let operations = setup::operations(&arguments.shared, Refresh::Behind)?;
    runtime::block_on(async {
        let mut signals = Signals::catch()?;
        let codemode = match arguments.mode {
            Mode::Direct => None,
            Mode::Code => Some(setup::codemode(&arguments.shared, policy.clone(), Arc::clone(&operations))?),
        };
        let server = Server::new(ServerOptions {
            operations,
            codemode: codemode.clone(),
            operation_time: Duration::from_millis(policy.value(LimitId::OperationMs)),
            host_operations: setup::count(&policy, LimitId::HostOperations),
        });
        let shutdown = CancellationToken::new();
        let serving = match arguments.transport {
            Transport::Stdio => serve_stdio(server, shutdown.clone()),
        };
        let mut serving = std::pin::pin!(serving);
        tokio::select! {
            () = &mut serving => {}
            _ = signals.received() => {
                shutdown.cancel();
                serving.await;
            }
        }
        if let Some(codemode) = codemode {
            codemode.shutdown().await;
        }
        Ok(())
    })
}
