//! [`Operations`]: the seven operations over real repositories.
//!
//! A call is parsed and decided on the async side; whatever touches a disk, a server or much memory runs on a blocking
//! thread under a context that also ends when the caller has gone. Failures carry a stable code and our own words (I7).

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::value::RawValue;
use tokio_util::sync::{CancellationToken, DropGuard};
use wit_worker::registry::{Code, OperationId};

use super::arguments::{Arguments, refused};
use super::cursor::Walk;
use super::{
    HostOperations, OperationContext, OperationError, OperationFuture, OperationsOptions, Surface, find, gather, list,
    open, read, refs, search,
};
use crate::github::Github;
use crate::repository::{LocalMapping, Records, RepoName, Server};
use crate::snapshot::{Snapshot, SnapshotId, Store, StoreError};

/// How long work may take that no caller waits for.
const BACKGROUND: Duration = Duration::from_secs(120);

/// The operations over real repositories.
pub struct Operations {
    shared: Arc<Shared>,
    /// Ends what runs behind stale answers when the operations go away.
    _background: DropGuard,
}

/// What calls share, also with their blocking threads.
pub(super) struct Shared {
    pub(super) options: OperationsOptions,
    pub(super) store: Store,
    pub(super) server: Server,
    pub(super) github: Arc<Github>,
    pub(super) records: Records,
    background: CancellationToken,
    /// One lock for each repository and ref that is being opened: ten callers, one fetch.
    flights: Mutex<HashMap<String, Arc<tokio::sync::Mutex<()>>>>,
}

/// Why the operations can't start. One line each, for the operator's eyes on stderr.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The cache directory can't be had.
    #[error("the cache directory cannot be used: {path}: {}", .error.kind())]
    Cache {
        /// Where it should be.
        path: String,
        /// What the system said.
        error: io::Error,
    },
}

impl Operations {
    /// Prepares the cache directory; reads no repository and reaches no network.
    ///
    /// # Errors
    /// When the cache directory can't be created or used.
    pub fn open(options: OperationsOptions) -> Result<Arc<Self>, OpenError> {
        let store = Store::open(&options.cache_dir, options.caps.cache_bytes).map_err(|StoreError::Io(error)| {
            OpenError::Cache { path: options.cache_dir.display().to_string(), error }
        })?;
        let background = CancellationToken::new();
        let github = Arc::new(Github::new(options.github_url.clone(), options.token.clone(), options.app.clone()));
        let shared = Shared {
            records: Records::new(store.refs(), store.scratch().to_owned(), &options.github_url),
            server: Server::new(options.github_url.clone(), Arc::clone(&github)),
            github,
            background: background.clone(),
            store,
            options,
            flights: Mutex::default(),
        };
        Ok(Arc::new(Self { shared: Arc::new(shared), _background: background.drop_guard() }))
    }
}

impl Drop for Operations {
    fn drop(&mut self) {
        // Threads may be on their way to their next look at a token; nothing half-written waits for them.
        self.shared.store.close();
    }
}

impl HostOperations for Operations {
    fn call<'a>(
        &'a self,
        operation: OperationId,
        arguments: &'a RawValue,
        surface: Surface,
        context: &'a OperationContext,
    ) -> OperationFuture<'a> {
        Box::pin(async move {
            // Blocking work goes on when this future is dropped, but not for long: it looks at this token.
            let token = context.cancellation().child_token();
            let context = context.under(token.clone());
            let _ended = token.drop_guard();
            context.check()?;
            let arguments = Arguments::parse(operation.entry(), arguments)?;
            let shared = Arc::clone(&self.shared);
            match operation {
                OperationId::Open => open::open(shared, &arguments, surface, context).await,
                OperationId::List | OperationId::SearchCode | OperationId::Read | OperationId::Context => {
                    shared.over_snapshot(operation, arguments, surface, context).await
                }
                OperationId::Refs => refs::refs(shared, arguments, context).await,
                OperationId::FindRepositories => find::find(shared, &arguments, context).await,
            }
        })
    }
}

impl Shared {
    /// Runs an operation that reads one snapshot.
    async fn over_snapshot(
        self: Arc<Self>,
        operation: OperationId,
        arguments: Arguments,
        surface: Surface,
        context: OperationContext,
    ) -> Result<Box<RawValue>, OperationError> {
        let run = move |context: &OperationContext| {
            let snapshot = self.snapshot(arguments.text_or_empty("snapshot_id"))?;
            context.check()?;
            let id = snapshot.id();
            let walk =
                Walk { key: self.store.key(), operation, subject: id.as_str(), fingerprint: arguments.fingerprint() };
            match operation {
                OperationId::List => list::list(&snapshot, &arguments, &walk),
                OperationId::Read => read::read(&snapshot, &arguments, &walk, surface),
                OperationId::Context => gather::gather(&snapshot, &arguments, &walk, context),
                _ => search::search(&snapshot, &arguments, &walk, context),
            }
        };
        blocking(context, run).await
    }

    /// The snapshot of a handle, if the operator allows its repository.
    fn snapshot(&self, handle: &str) -> Result<Arc<Snapshot>, OperationError> {
        let missing = || {
            OperationError::new(Code::SnapshotNotFound, "the snapshot is not in the cache; open the repository again")
        };
        let id: SnapshotId = handle.trim().parse().map_err(|()| missing())?;
        let found =
            self.store.get(id).map_err(|_| OperationError::new(Code::OperationFailed, "the cache cannot be read"))?;
        // A cache may be shared with a server that is allowed more, and handles can be worked out: what is not allowed is
        // as if it were not there (I8).
        found.filter(|snapshot| self.allow(snapshot.repo()).is_ok()).ok_or_else(missing)
    }

    /// The repository a caller names.
    pub(super) fn repository(&self, text: &str) -> Result<RepoName, OperationError> {
        RepoName::parse_argument(text, &self.options.github_url).map_err(|error| refused(format!("`repo`: {error}")))
    }

    /// The mapping of a name, if the operator made one.
    pub(super) fn local(&self, repo: &RepoName) -> Option<&LocalMapping> {
        self.options.local.iter().find(|mapping| mapping.name == *repo)
    }

    /// Decides, before any use of disk or network, whether a repository may be asked for.
    pub(super) fn allow(&self, repo: &RepoName) -> Result<(), OperationError> {
        let allowed = self.options.allow.is_empty() || self.options.allow.iter().any(|pattern| pattern.allows(repo));
        if allowed || self.local(repo).is_some() {
            return Ok(());
        }
        Err(OperationError::new(Code::RepositoryDenied, "the repository is outside what the operator allows"))
    }

    /// The context of work that no caller waits for.
    pub(super) fn background_context(&self) -> OperationContext {
        OperationContext::new(BACKGROUND, self.background.child_token())
    }

    /// The lock that callers with the same wish share.
    pub(super) fn flight(&self, key: &str) -> Arc<tokio::sync::Mutex<()>> {
        let mut flights = self.flights.lock().unwrap_or_else(PoisonError::into_inner);
        flights.retain(|_, flight| Arc::strong_count(flight) > 1);
        Arc::clone(flights.entry(key.to_owned()).or_default())
    }
}

/// Runs work on a blocking thread. The caller gets its answer as soon as the context ends, even if the work is then still
/// on its way to its next look at the context.
pub(super) async fn blocking<T: Send + 'static>(
    context: OperationContext,
    work: impl FnOnce(&OperationContext) -> Result<T, OperationError> + Send + 'static,
) -> Result<T, OperationError> {
    let own = context.clone();
    let task = tokio::task::spawn_blocking(move || work(&own));
    tokio::select! {
        biased;
        outcome = task => outcome.unwrap_or_else(|_| Err(OperationError::new(Code::OperationFailed, "the operation failed"))),
        error = ended(&context) => Err(error),
    }
}

/// Waits for the end of a context.
pub(crate) async fn ended(context: &OperationContext) -> OperationError {
    let token: &CancellationToken = context.cancellation();
    tokio::select! {
        () = token.cancelled() => {}
        () = tokio::time::sleep_until(context.deadline().into()) => {}
    }
    match context.check() {
        Err(error) => error,
        Ok(()) => OperationError::new(Code::DeadlineExceeded, "the time of the host operation is used up"),
    }
}
