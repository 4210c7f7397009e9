//! Progress of a long operation, told to a client that asked for it.
//!
//! Reports come from blocking threads, faster than a client cares: the latest wins, and one is sent at most every
//! [`INTERVAL`]. MCP wants numbers that only grow, while our phases count different things; so the number sent counts
//! the reports, and the words carry the phase.

use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::Peer;
use tokio::sync::watch;

use crate::operations::Progress;

/// Least time between two notifications.
const INTERVAL: Duration = Duration::from_millis(100);

/// The latest report: phase, things done, things in all.
type Report = Option<(&'static str, u64, Option<u64>)>;

/// A place for an operation to report to, and where to read the latest report.
pub(super) fn channel() -> (Arc<Progress>, watch::Receiver<Report>) {
    let (sender, receiver) = watch::channel(None);
    let progress = move |phase: &'static str, done: u64, total: Option<u64>| {
        sender.send_replace(Some((phase, done, total)));
    };
    (Arc::new(progress), receiver)
}

/// Sends reports until it is dropped, which the caller does before it answers: none follows the answer.
pub(super) async fn notify(peer: &Peer<RoleServer>, token: ProgressToken, mut reports: watch::Receiver<Report>) {
    let mut count = 0.0;
    while reports.changed().await.is_ok() {
        let Some((phase, done, total)) = *reports.borrow_and_update() else { continue };
        count += 1.0;
        let words = match total {
            Some(total) => format!("{phase}: {done} of {total}"),
            None if done > 0 => format!("{phase}: {done}"),
            None => phase.to_owned(),
        };
        let report = ProgressNotificationParam::new(token.clone(), count).with_message(words);
        if peer.notify_progress(report).await.is_err() {
            break;
        }
        tokio::time::sleep(INTERVAL).await;
    }
    std::future::pending().await
}
