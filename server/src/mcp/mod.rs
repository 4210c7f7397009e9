//! The MCP surface (DESIGN §8): tools and resources over stdio, on `rmcp`.
//!
//! [`Server`] answers requests; [`transport`] reads and writes messages and carries results as the raw JSON they
//! already are; [`stdio`] finds the quickest way to the standard streams. [`serve_stdio`] puts them together and
//! owns the end of a connection: stdout carries frames only (I11), and whatever ends the connection ends every
//! call in flight (I10).

mod catch;
mod progress;
mod resources;
mod server;
mod stdio;
mod tools;
mod transport;

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::time::Duration;

use rmcp::ServiceExt as _;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use crate::codemode::CodeMode;
use crate::operations::HostOperations;

pub use server::Server;

/// Time the calls in flight get to finish once the client has closed stdin, before they are cancelled. A script
/// that pipes requests in and closes the pipe sees its answers; a client that has gone costs no more than this.
const DRAIN: Duration = Duration::from_millis(200);
/// Time cancelled calls get to unwind before the connection is dropped all the same.
const UNWIND: Duration = Duration::from_secs(1);

/// Which of the two surfaces a server shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// The seven typed tools.
    Direct,
    /// The one tool that runs scripts.
    Code,
}

/// What a server serves.
pub struct ServerOptions {
    /// The operations, for direct mode and for resources.
    pub operations: Arc<dyn HostOperations>,
    /// Code Mode, where the server runs in that mode.
    pub codemode: Option<Arc<CodeMode>>,
    /// Time of one operation (policy `operation_ms`).
    pub operation_time: Duration,
    /// Most operations at once in direct mode (policy `host_operations`).
    pub host_operations: usize,
}

/// Serves one client on the standard streams until it closes them or `shutdown` is cancelled.
pub async fn serve_stdio(server: Server, shutdown: CancellationToken) {
    let (reader, writer) = stdio::open();
    serve(server, reader, writer, shutdown).await;
}

async fn serve(
    server: Server,
    reader: impl AsyncRead + transport::HangUp + Send + Sync + Unpin + 'static,
    writer: impl AsyncWrite + Send + Unpin + 'static,
    shutdown: CancellationToken,
) {
    let closed = CancellationToken::new();
    let transport = transport::StdioTransport::new(reader, writer, closed.clone());
    let calls = CancellationToken::new();
    let serving = async {
        match server.serve_with_ct(transport, calls.clone()).await {
            Ok(service) => drop(service.waiting().await),
            // Closed before the first request, or its opening was not MCP: nothing is in flight.
            Err(_) => tracing::debug!("the connection ended before it was established"),
        }
    };
    let mut serving = std::pin::pin!(serving);
    tokio::select! {
        () = &mut serving => return,
        () = shutdown.cancelled() => {}
        () = closed.cancelled() => {
            tokio::select! {
                () = &mut serving => return,
                () = shutdown.cancelled() => {}
                () = tokio::time::sleep(DRAIN) => {}
            }
        }
    }
    calls.cancel();
    let _ = tokio::time::timeout(UNWIND, serving).await;
}
